"""Which retrievers search an index, one that is built here or that of a database, and what is counted of it."""

from collections.abc import Iterable, Iterator

from ragassay.config.grid import Grid
from ragassay.plan import corpora, databases, relevance, search

CHECKED = ("query_set", "corpus", "retriever")
FAISS, SERVICE = "faiss", "service"
NEEDED = {FAISS: "factory", SERVICE: "collection"}


def _index(config, name):
    return search.retriever(config, name).get("index", {"kind": None})


def _with(config, *kinds):
    return [name for name in search.retrievers(config, search.DENSE) if _index(config, name)["kind"] in kinds]


def indexed(config: dict) -> list[str]:
    """The retrievers by vectors that search an index which is built here."""
    return _with(config, FAISS)


def served(config: dict) -> list[str]:
    """The retrievers by vectors that ask a database."""
    return _with(config, SERVICE)


def exact(config: dict) -> list[str]:
    """The retrievers by vectors that compare each query with each passage."""
    return _with(config, None)


def by_parts(config: dict) -> list[str]:
    """The retrievers that search the parts of a corpus apart; a database has them all."""
    return _with(config, None, FAISS)


def build_index(config: dict, wildcards) -> dict:
    searched = search.search_dense(config, wildcards)
    kept = {key: searched[key] for key in ("encoder", "embeddings", "titles", "similarity")}
    return kept | {"factory": _index(config, wildcards.retriever)["factory"]}


def search_index(config: dict, wildcards) -> dict:
    entry = _index(config, wildcards.retriever)
    return relevance.vectors_searched(config, wildcards) | {key: entry[key] for key in ("search", "checked")}


def search_service(config: dict, wildcards) -> dict:
    entry = _index(config, wildcards.retriever)
    params = search_index(config, wildcards) | {key: entry[key] for key in ("collection", "revision")}
    params["entry"] = databases.read(config, entry["collection"])
    return params | {"ledger": f"ledger/search_service/{wildcards.corpus}/{wildcards.retriever}/{wildcards.query_set}"}


def service_kinds(config: dict, wildcards) -> list[str]:
    """The modules that a search of a database loads by their names."""
    collection = _index(config, wildcards.retriever)["collection"]
    return [*search.retriever_kinds(config, wildcards), databases.module(config, collection)]


def searches(config: dict, shards: dict, rows: Iterable[tuple]) -> Grid:
    """What indexes are asked, of sets of queries, corpora and retrievers that meet: for parts of corpora, where they
    search these apart.
    """
    cells = []
    for query_set, corpus, name in rows:
        kind = _index(config, name)["kind"]
        parts = {FAISS: corpora.parts_of(config, shards, corpus), SERVICE: [corpus], None: []}[kind]
        cells += [(query_set, part, name) for part in parts]
    return Grid.of_rows(CHECKED, cells)


def may_search(config: dict, name: str, corpus: str) -> bool:
    """Whether a retriever may be compared in a corpus: one that asks a database, in what is read out of it."""
    index = _index(config, name)
    return index["kind"] != SERVICE or index["collection"] == config["corpora"].get(corpus, {}).get("collection")


def check(config: dict) -> Iterator[tuple]:
    """Whether indexes have what their kind needs, and none that asks a database searches a part of its corpus."""
    for name, entry in config["retrievers"].items():
        if "index" in entry:
            index, place = entry["index"], ("retrievers", name, "index")
            for kind, key in NEEDED.items():
                if (kind == index["kind"]) != (key in index):
                    problem = f"found {key}" if key in index else f"found no {key}"
                    yield place, f"{problem} beside kind {index['kind']}, expected {NEEDED[index['kind']]}"
    asking = served(config)
    for name in relevance.retrievers(config):
        if name in asking:
            problem = f"found {name}, which asks a database that has held-out documents, too"
            yield ("relevance",), f"{problem}; name other relevance.retrievers or relevance.fused"

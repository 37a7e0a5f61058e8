"""What the report's section on retrieval measures: the study's questions in its documents, and the user's sets of
queries in the corpora that they name. And which retrievers search an index, one that is built here or that of a
database, what is counted of it, and on which of these the numbers of each page of the report rest.
"""

from collections.abc import Iterable, Iterator

from ragassay.config.grid import Grid
from ragassay.plan import attacks, corpora, defended, probes, relevance, search, targets
from ragassay.plan.entries import having

RECALL = "results/index_recall/{corpus}/{retriever}/{query_set}.parquet"
STUDY = corpora.OWN["corpora"]
CHECKED = ("query_set", "corpus", "retriever")
FAISS, SERVICE = "faiss", "service"
NEEDED = {FAISS: "factory", SERVICE: "collection"}


def _index(config, name):
    return search.retriever(config, name).get("index", {"kind": None})


def searching(config: dict, *, index: list) -> list[str]:
    """The retrievers by vectors that search an index of one of these kinds: FAISS is built here, SERVICE is that of a
    database, which has all parts of a corpus, and None compares each query with each passage.
    """
    return [name for name in search.retrievers(config, search.DENSE) if _index(config, name)["kind"] in index]


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
    params["entry"] = corpora.collection(config, entry["collection"])
    return params | {"ledger": f"ledger/search_service/{wildcards.corpus}/{wildcards.retriever}/{wildcards.query_set}"}


def service_kinds(config: dict, wildcards) -> list[str]:
    """The modules that a search of a database loads by their names."""
    collection = _index(config, wildcards.retriever)["collection"]
    return [*search.retriever_kinds(config, wildcards), corpora.connector(config, collection)]


def asked(config: dict, shards: dict, rows: Iterable[tuple]) -> Grid:
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


def retrievers(config: dict, corpus: str = STUDY) -> list[str]:
    """Those that are compared in a corpus."""
    return [name for name in config["retrieval"]["retrievers"] if may_search(config, name, corpus)]


def measured(config: dict) -> Grid:
    """The user's query sets, the corpora that they are measured in, and the retrievers."""
    pairs = [(name, corpus) for name, entry in config["query_sets"].items() for corpus in entry["corpora"]]
    rows = [(query_set, corpus, name) for query_set, corpus in pairs for name in retrievers(config, corpus)]
    return Grid.of_rows(CHECKED, rows)


def measured_parts(config: dict, shards: dict) -> list[str]:
    """The parts of the corpora that they are measured in."""
    searched = measured(config).column("corpus")
    return [part for corpus in searched for part in corpora.parts_of(config, shards, corpus)]


def searches(config: dict, shards: dict) -> Grid:
    """What indexes are asked for all this."""
    return asked(config, shards, _rows(config))


def _rows(config):
    rows = [(corpora.OWN["query_sets"], STUDY, name) for name in retrievers(config)]
    return [*rows, *_checked(measured(config))]


def _checked(grid):
    return [tuple(cell[key] for key in CHECKED) for cell in grid]


def recalls(config: dict, shards: dict, shown: list[str], registered: dict) -> dict[str, list[str]]:
    """section -> the tables of recall of the indexes that its numbers rest on, for those that rest on some.
    `registered` says whose metrics a section describes.
    """
    searched, attacked = having(config["question_sets"], "retrieval"), _attacked(config)
    rows = {
        "retrieval": _rows(config),
        "question_sets": [(name, name, of) for name in searched for of in retrievers(config)],
        "relevance": [*_checked(relevance.searches(config)), *_checked(relevance.rated(config))],
        "attacks": attacked,
        "raguard": attacked,
        "revprag": _of_targets(config, probes.cells(config)),
    }
    rows["raguard_costs"] = rows["raguard"]
    tables = {}
    for section in shown:
        searched = asked(config, shards, rows.get(registered[section].get("metrics", section), ()))
        if paths := list(dict.fromkeys(searched.over(RECALL))):
            tables[section] = paths
    return tables


def recalls_of_attacks(config: dict, shards: dict) -> list[str]:
    """The tables of all attacks, whatever the report shows."""
    return list(dict.fromkeys(asked(config, shards, _attacked(config)).over(RECALL)))


def _attacked(config):
    return [*_of_targets(config, attacks.cells(config)), *_of_rewritten(config)]


def _of_targets(config, grid):
    """The questions about the targets of datasets, in their clean corpora."""
    pairs = [(cell.dataset, cell.retriever) for cell in grid.by("dataset", "retriever")]
    return [(dataset + targets.QUERIES, config["datasets"][dataset]["corpus"], name) for dataset, name in pairs]


def _of_rewritten(config):
    """The same in the words of defences that put them in others before they are searched for."""
    cells, entries = defended.rewritten(config), config["datasets"]
    return [(f"{cell.dataset}.{cell.defence}", entries[cell.dataset]["corpus"], cell.retriever) for cell in cells]


def check(config: dict) -> Iterator[tuple]:
    """Whether indexes have what their kind needs, none that asks a database searches a part of its corpus, each finds
    its corpus there, and some retriever can search the study's documents.
    """
    for name, entry in config["retrievers"].items():
        if "index" in entry:
            index, place = entry["index"], ("retrievers", name, "index")
            for kind, key in NEEDED.items():
                if (kind == index["kind"]) != (key in index):
                    problem = f"found {key}" if key in index else f"found no {key}"
                    yield place, f"{problem} beside kind {index['kind']}, expected {NEEDED[index['kind']]}"
    asking = searching(config, index=[SERVICE])
    for name in relevance.retrievers(config):
        if name in asking:
            problem = f"found {name}, which asks a database that has held-out documents, too"
            yield ("relevance",), f"{problem}; name other relevance.retrievers or relevance.fused"
    if not retrievers(config):
        problem = "found only retrievers that ask a database, expected one that searches the study's documents, too"
        yield ("retrieval", "retrievers"), f"{problem}; add bm25"
    extended = having(config["corpora"], "extends")
    for section, grid in (("under_attack", attacks.cells(config)), ("revprag", probes.cells(config))):
        for cell in grid.by("dataset", "retriever"):
            corpus = config["datasets"][cell.dataset]["corpus"]
            if cell.retriever in asking and corpus in extended:
                yield (section, "cells"), _not_there(cell.retriever, corpus)
    for cell in config["lm_relevance"]["rated"]:
        if cell["retriever"] in asking and cell["corpus"] in extended:
            yield ("lm_relevance", "rated"), _not_there(cell["retriever"], cell["corpus"])


def _not_there(retriever, corpus):
    problem = f"found {retriever}, which asks a database, in {corpus}, whose rewritten passages it does not have"
    return f"{problem}; name another retriever"

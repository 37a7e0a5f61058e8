"""Which retrievers search an index, and what is counted of it."""

from ragassay.config.grid import Grid
from ragassay.plan import corpora, relevance, search

CHECKED = ("query_set", "corpus", "retriever")


def indexed(config: dict) -> list[str]:
    """The retrievers by vectors that search an index."""
    return [name for name in search.retrievers(config, search.DENSE) if "index" in search.retriever(config, name)]


def exact(config: dict) -> list[str]:
    """The retrievers by vectors that compare each query with each passage."""
    return [name for name in search.retrievers(config, search.DENSE) if name not in indexed(config)]


def build_index(config: dict, wildcards) -> dict:
    searched = search.search_dense(config, wildcards)
    kept = {key: searched[key] for key in ("encoder", "embeddings", "titles", "similarity")}
    return kept | {"factory": search.retriever(config, wildcards.retriever)["index"]["factory"]}


def search_index(config: dict, wildcards) -> dict:
    entry = search.retriever(config, wildcards.retriever)["index"]
    return relevance.vectors_searched(config, wildcards) | {key: entry[key] for key in ("search", "checked")}


def measured(config: dict) -> Grid:
    """The sets of queries, parts of corpora and retrievers whose index the report measures."""
    rows = [("questions", corpora.OWN["corpora"], name) for name in config["retrieval"]["retrievers"]]
    rows += [tuple(cell[key] for key in CHECKED) for cell in search.measured(config)]
    names = indexed(config)
    parts = [
        (queries, part, name)
        for queries, corpus, name in rows
        if name in names
        for part in corpora.parts_of(config, corpus)
    ]
    return Grid.of_rows(CHECKED, parts)

"""What the report's section on retrieval measures: the study's questions in its documents, and the user's sets of
queries in the corpora that they name. And on which indexes the numbers of each page of the report rest.
"""

from collections.abc import Iterator

from ragassay.config.grid import Grid
from ragassay.plan import attacks, corpora, indexes, probes, relevance

RECALL = "results/index_recall/{corpus}/{retriever}/{query_set}.parquet"
STUDY = corpora.OWN["corpora"]


def retrievers(config: dict, corpus: str = STUDY) -> list[str]:
    """Those that are compared in a corpus."""
    return [name for name in config["retrieval"]["retrievers"] if indexes.may_search(config, name, corpus)]


def measured(config: dict) -> Grid:
    """The user's query sets, the corpora that they are measured in, and the retrievers."""
    pairs = [(name, corpus) for name, entry in config["query_sets"].items() for corpus in entry["corpora"]]
    rows = [(query_set, corpus, name) for query_set, corpus in pairs for name in retrievers(config, corpus)]
    return Grid.of_rows(indexes.CHECKED, rows)


def measured_parts(config: dict, shards: dict) -> list[str]:
    """The parts of the corpora that they are measured in."""
    searched = measured(config).column("corpus")
    return [part for corpus in searched for part in corpora.parts_of(config, shards, corpus)]


def searches(config: dict, shards: dict) -> Grid:
    """What indexes are asked for all this."""
    return indexes.searches(config, shards, _rows(config))


def _rows(config):
    rows = [(corpora.OWN["query_sets"], STUDY, name) for name in retrievers(config)]
    return [*rows, *_checked(measured(config))]


def _checked(grid):
    return [tuple(cell[key] for key in indexes.CHECKED) for cell in grid]


def recalls(config: dict, shards: dict, pages: dict[str, str]) -> dict[str, list[str]]:
    """page -> the tables of recall of the indexes that its numbers rest on; `pages` says where each section stands."""
    questions = config["question_sets"].items()
    rows = {
        "retrieval": _rows(config),
        "question_sets": [
            (name, name, of) for name, entry in questions if entry["retrieval"] for of in retrievers(config)
        ],
        "relevance": _checked(relevance.searches(config)),
        "attacks": _of_targets(config, attacks.cells(config)),
        "raguard": _of_targets(config, attacks.cells(config)),
        "revprag": _of_targets(config, probes.cells(config)),
    }
    tables = {page: [] for page in pages.values()}
    for section, page in pages.items():
        tables[page] += indexes.searches(config, shards, rows.get(section, ())).over(RECALL)
    return {page: list(dict.fromkeys(paths)) for page, paths in tables.items()}


def recalls_of_page(config: dict, shards: dict, wildcards, pages: dict[str, str]) -> list[str]:
    return recalls(config, shards, pages)[wildcards.page]


def _of_targets(config, grid):
    """The questions about the targets of datasets, in their clean corpora."""
    pairs = [(cell.dataset, cell.retriever) for cell in grid.by("dataset", "retriever")]
    return [(dataset + attacks.QUERIES, config["datasets"][dataset]["corpus"], name) for dataset, name in pairs]


def check(config: dict) -> Iterator[tuple]:
    """Whether some retriever can search the study's documents, and each that asks a database finds its corpus there."""
    if not retrievers(config):
        problem = "found only retrievers that ask a database, expected one that searches the study's documents, too"
        yield ("retrieval", "retrievers"), f"{problem}; add bm25"
    asking, extended = indexes.served(config), corpora.extended(config)
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

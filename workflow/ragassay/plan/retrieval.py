"""What the report's section on retrieval measures: the study's questions in its documents, and the user's sets of
queries in the corpora that they name.
"""

from collections.abc import Iterator

from ragassay.config.grid import Grid
from ragassay.plan import corpora, indexes

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
    rows = [(corpora.OWN["query_sets"], STUDY, name) for name in retrievers(config)]
    rows += [tuple(cell[key] for key in indexes.CHECKED) for cell in measured(config)]
    return indexes.searches(config, shards, rows)


def check(config: dict) -> Iterator[tuple]:
    """Whether some retriever can search the study's documents."""
    if not retrievers(config):
        problem = "found only retrievers that ask a database, expected one that searches the study's documents, too"
        yield ("retrieval", "retrievers"), f"{problem}; add bm25"

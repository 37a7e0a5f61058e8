"""What the report's section on retrieval measures: the study's questions in its documents, and the user's sets of
queries in the corpora that they name. And on which indexes the numbers of each page of the report rest.
"""

from collections.abc import Iterator

from ragassay.config.grid import Grid
from ragassay.plan import attacks, corpora, defended, indexes, probes, relevance

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


def recalls(config: dict, shards: dict, shown: list[str], registered: dict) -> dict[str, list[str]]:
    """section -> the tables of recall of the indexes that its numbers rest on, for those that rest on some.
    `registered` says whose metrics a section describes.
    """
    questions, attacked = config["question_sets"].items(), _attacked(config)
    rows = {
        "retrieval": _rows(config),
        "question_sets": [
            (name, name, of) for name, entry in questions if entry["retrieval"] for of in retrievers(config)
        ],
        "relevance": [*_checked(relevance.searches(config)), *_checked(relevance.rated(config))],
        "attacks": attacked,
        "raguard": attacked,
        "revprag": _of_targets(config, probes.cells(config)),
    }
    rows["raguard_costs"] = rows["raguard"]
    tables = {}
    for section in shown:
        searched = indexes.searches(config, shards, rows.get(registered[section].get("metrics", section), ()))
        if paths := list(dict.fromkeys(searched.over(RECALL))):
            tables[section] = paths
    return tables


def recalls_of_attacks(config: dict, shards: dict) -> list[str]:
    """The tables of all attacks, whatever the report shows."""
    return list(dict.fromkeys(indexes.searches(config, shards, _attacked(config)).over(RECALL)))


def of_sections(recalls: dict, sections: list[str]) -> list[str]:
    """The tables of some sections together."""
    return list(dict.fromkeys(path for section in sections for path in recalls.get(section, ())))


def recalls_of_page(wildcards, recalls: dict, pages: dict[str, str]) -> list[str]:
    return of_sections(recalls, [name for name, page in pages.items() if page == wildcards.page])


def recalls_of_section(wildcards, recalls: dict) -> list[str]:
    return of_sections(recalls, [wildcards.section])


def _attacked(config):
    return [*_of_targets(config, attacks.cells(config)), *_of_rewritten(config)]


def _of_targets(config, grid):
    """The questions about the targets of datasets, in their clean corpora."""
    pairs = [(cell.dataset, cell.retriever) for cell in grid.by("dataset", "retriever")]
    return [(dataset + attacks.QUERIES, config["datasets"][dataset]["corpus"], name) for dataset, name in pairs]


def _of_rewritten(config):
    """The same in the words of defences that put them in others before they are searched for."""
    cells = defended.rewritten(config)
    return [
        (f"{cell.dataset}.{cell.defence}", config["datasets"][cell.dataset]["corpus"], cell.retriever) for cell in cells
    ]


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

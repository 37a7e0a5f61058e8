"""Settings of the stage that screens passages as they come in."""

from collections.abc import Iterator

from ragassay.config.grid import Cell, Grid
from ragassay.plan import defences, search
from ragassay.studies.poisoning.defences.defence import SCORES, kind_of

NAMES = ("dataset", "retriever", "attack", "defence")


def screened(config: dict) -> Grid:
    """Cells in which passages are screened before any question is known."""
    entries = [entry for entry in config["under_attack"]["cells"] if "screened" in entry]
    return Grid.of_entries(entries, *NAMES)


def queries(config: dict, wildcards) -> list[str]:
    """The table of the queries that say what users ask, if a cell has some; the last entry decides."""
    names = [None]
    for entry in config["under_attack"]["cells"]:
        if "screened" in entry and Cell(wildcards.items()) in Grid.of_entries([entry], *NAMES):
            names.append(entry["screened"]["queries"])
    return [f"results/queries/{names[-1]}.parquet"] if names[-1] else []


def guard(config: dict, wildcards) -> str:
    """The fitted guard, which screening takes thresholds from."""
    return f"results/guards/{wildcards.dataset}/{wildcards.retriever}/{wildcards.defence}.json"


def reviews(config: dict) -> list[str]:
    return config["raguard"]["reviews"]


def screen_passages(config: dict, wildcards) -> dict:
    searched = search.search_dense(config, wildcards)
    return {key: searched[key] for key in ("encoder", "query_encoder", "embeddings", "similarity")}


def check(config: dict) -> Iterator[tuple]:
    """Whether defences can screen, and retrievers compare."""
    dense = search.retrievers(config, search.DENSE)
    for number, entry in enumerate(config["under_attack"]["cells"]):
        if "screened" not in entry:
            continue
        place = ("under_attack", "cells", number)
        for name in entry["retrievers"]:
            if name not in dense:
                yield (
                    (*place, "retrievers"),
                    f"found {name}, expected one by vectors, which texts are compared by",
                )
        for name in entry["defences"]:
            if name in defences.defences(config) and not _screens(config, name):
                problem = (
                    f"found {name}, which judges by questions, expected one that judges by scores, such as raguard"
                )
                yield (*place, "defences"), problem


def _screens(config, name):
    kind, values = defences.defence(config, name)["kind"], defences.settings(config, name)
    return not kind_of(kind).COMPARES and SCORES in kind_of(kind)(values).needs

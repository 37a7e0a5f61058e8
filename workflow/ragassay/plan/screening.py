"""Settings of the stage that screens passages as they come in."""

from collections.abc import Iterator

from ragassay.config.grid import Cell, Grid
from ragassay.plan import defences, search
from ragassay.studies.poisoning.defences.defence import SCORES

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


def screen_passages(config: dict, wildcards) -> dict:
    searched = search.search_dense(config, wildcards)
    return {key: searched[key] for key in ("encoder", "query_encoder", "embeddings", "similarity")}


def check(config: dict) -> Iterator[tuple]:
    """Whether defences can screen, and retrievers compare."""
    for number, entry in enumerate(config["under_attack"]["cells"]):
        place = ("under_attack", "cells", number)
        for name in entry["retrievers"] if "screened" in entry else ():
            if name not in search.retrievers(config, search.DENSE):
                problem = f"found {name}, expected one by vectors, which texts are compared by"
                yield (*place, "retrievers"), problem
        for name in entry["defences"] if "screened" in entry else ():
            if not defences.wrong_links(config, name) and not _screens(config, name):
                expected = "expected one that judges by scores, such as raguard"
                yield (*place, "defences"), f"found {name}, which judges by questions, {expected}"


def _screens(config, name):
    needed = {need for part in defences.links(config, name) for need in part.needs}
    return not defences.defence(config, name).type.COMPARES and SCORES in needed

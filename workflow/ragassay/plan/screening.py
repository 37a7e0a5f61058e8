"""Settings of the stage that screens passages as they come in."""

from collections.abc import Iterator
from itertools import product

from ragassay.plan import defences, retrieval
from ragassay.studies.poisoning.defences.defence import SCORES, kind_of


def entries(config: dict) -> dict[defences.Filtered, str | None]:
    """What is screened, by which guard -> the query set that says what users ask, if there is one."""
    keys, found = ("datasets", "retrievers", "attacks", "defences"), {}
    for entry in config["under_attack"]["cells"]:
        if "screened" in entry:
            cells = product(*(entry[key] for key in keys))
            found |= {defences.Filtered(*cell): entry["screened"]["queries"] for cell in cells}
    return found


def columns(config: dict) -> dict[str, list[str]]:
    """The same as lists of equal length."""
    return {name: [getattr(cell, name) for cell in entries(config)] for name in defences.Filtered._fields}


def queries(config: dict, wildcards) -> list[str]:
    """The table of these queries."""
    name = entries(config).get(defences.Filtered(*(wildcards.get(name) for name in defences.Filtered._fields)))
    return [f"results/queries/{name}.parquet"] if name else []


def guard(config: dict, wildcards) -> str:
    """The fitted guard, which screening takes thresholds from."""
    return f"results/guards/{wildcards.dataset}/{wildcards.retriever}/{wildcards.defence}.json"


def reviews(config: dict) -> list[str]:
    return config["raguard"]["reviews"]


def screen_passages(config: dict, wildcards) -> dict:
    searched = retrieval.search_dense(config, wildcards)
    return {key: searched[key] for key in ("encoder", "query_encoder", "embeddings", "similarity")}


def check(config: dict) -> Iterator[tuple]:
    """Whether defences can screen, and retrievers compare."""
    dense = retrieval.retrievers(config, retrieval.DENSE)
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
                found = f"found {name}, which judges by questions, expected one that judges by scores, such as raguard"
                yield (*place, "defences"), found


def _screens(config, name):
    kind, own = defences.defence(config, name)["kind"], defences.settings(config, name)
    return not kind_of(kind).COMPARES and SCORES in kind_of(kind)(own).needs

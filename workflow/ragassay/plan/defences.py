"""Settings of the stages that defend a corpus under attack, and of the answers behind defences."""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from ragassay import variants
from ragassay.defences.defence import KINDS
from ragassay.errors import AssayError, unknown
from ragassay.plan import models

LINES = "lines"


class NoDefence(AssayError):
    """A target names a defence that the configuration does not have."""


class Answered(NamedTuple):
    dataset: str
    retriever: str
    attack: str
    defence: str
    responder: str


def defence(config: dict, name: str) -> dict:
    """What a name stands for: an entry of `defences`, or a kind with all defaults."""
    if name in config["defences"]:
        return config["defences"][name]
    if name in variants.names(KINDS):
        return {"kind": name, "settings": {}}
    raise NoDefence(f"a path below results: {unknown('defence', name, defences(config))}")


def defences(config: dict) -> list[str]:
    """All names of defences."""
    return list(dict.fromkeys([*config["defences"], *variants.names(KINDS)]))


def cells(config: dict) -> list[Answered]:
    """All datasets, retrievers, attacks, defences and responders that meet."""
    keys = ("datasets", "retrievers", "attacks", "defences", "responders")
    found = [
        Answered(*cell) for entry in config["under_attack"]["cells"] for cell in product(*(entry[key] for key in keys))
    ]
    return list(dict.fromkeys(found))


def columns(config: dict) -> dict[str, list[str]]:
    """The same as lists of equal length."""
    return {name: [getattr(cell, name) for cell in cells(config)] for name in Answered._fields}


def passages(config: dict, wildcards) -> str:
    """The clean corpus of a dataset."""
    return f"results/passages/{config['datasets'][wildcards.dataset]['corpus']}.parquet"


def kinds(config: dict, wildcards) -> list[str]:
    """The module of a defence."""
    return [f"{KINDS}.{defence(config, wildcards.defence)['kind']}"]


def filter_retrieved(config: dict, wildcards) -> dict:
    own, shared = defence(config, wildcards.defence), config["under_attack"]
    settings = variants.load(KINDS, own["kind"], f"defences.{wildcards.defence}.kind").SETTINGS | own["settings"]
    return {"kind": own["kind"], "own": settings, "k": shared["k"], "depth": shared["depth"]}


def prompt(config: dict) -> str:
    """The prompt that answers from passages are asked with."""
    return f"resources/prompts/respond_{config['under_attack']['prompt']}.yaml"


def answer_attacked(config: dict, wildcards) -> dict:
    shared = config["under_attack"]
    about = {"in_lines": shared["prompt"] == LINES, "sampling": shared["sampling"]}
    return models.asking(config, "answer_attacked", "responder", wildcards) | about


def check(config: dict) -> Iterator[tuple]:
    """Whether the defences and responders of cells exist, and defences have the settings that they are given."""
    for name, entry in config["defences"].items():
        known = variants.load(KINDS, entry["kind"], f"defences.{name}.kind").SETTINGS
        for key in entry["settings"]:
            if key not in known:
                found = unknown("setting", key, known) if known else f"{entry['kind']} has no settings"
                yield ("defences", name, "settings"), found
    shared = config["under_attack"]
    k, depth, kept = shared["k"], shared["depth"], config["retrieval"]["neighbours"]
    if depth < k:
        yield ("under_attack", "depth"), f"found {depth}, expected at least under_attack.k, which is {k}"
    if depth > kept and shared["cells"]:
        yield ("under_attack", "depth"), f"found {depth}, expected at most retrieval.neighbours, which is {kept}"
    for number, entry in enumerate(shared["cells"]):
        for name in entry["defences"]:
            if name not in defences(config):
                yield ("under_attack", "cells", number, "defences"), unknown("defence", name, defences(config))

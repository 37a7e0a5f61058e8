"""Settings of the stages that attack corpora, and what their names stand for."""

from collections.abc import Iterator
from itertools import product
from types import SimpleNamespace
from typing import NamedTuple

from ragassay import variants
from ragassay.attacks import tried
from ragassay.attacks.poison import KINDS, RETRIEVER, TEXTS, AttackError, settings_of, wants
from ragassay.errors import AssayError, unknown
from ragassay.plan import retrieval
from ragassay.plan.intervals import draws
from ragassay.plan.retrieval import BM25, DENSE, OWN, VECTORS

QUERIES = ".targets"  # ends the name of the query set that a dataset's questions are


class NoAttack(AssayError):
    """A target names an attack or a dataset that the configuration does not have."""


class Cell(NamedTuple):
    dataset: str
    retriever: str
    attack: str


def datasets(config: dict) -> list[str]:
    return list(config["datasets"])


def attacked(config: dict) -> list[str]:
    """The datasets that something is tried on."""
    return list(dict.fromkeys(cell.dataset for cell in cells(config)))


def corpora(config: dict) -> list[str]:
    """The corpora of these datasets."""
    return list(dict.fromkeys(config["datasets"][name]["corpus"] for name in attacked(config)))


def attack(config: dict, name: str) -> dict:
    """What a name stands for: an entry of `attacks`, or a kind with all defaults."""
    if name in config["attacks"]:
        return config["attacks"][name]
    if name in variants.names(KINDS):
        return {"kind": name, "settings": {}}
    known = [*config["attacks"], *variants.names(KINDS)]
    raise NoAttack(f"a path below results: {unknown('attack', name, known)}")


def attacks(config: dict, optimised: bool | None = None) -> list[str]:
    """All names of attacks, or of those that need a retriever's weights, or of the others."""
    every = dict.fromkeys([*config["attacks"], *variants.names(KINDS)])
    return [name for name in every if optimised is None or optimised == (RETRIEVER in needs(config, name))]


def cells(config: dict) -> list[Cell]:
    """All datasets, retrievers and attacks that meet."""
    keys = ("datasets", "retrievers", "attacks")
    found = [
        Cell(*cell) for entry in config["under_attack"]["cells"] for cell in product(*(entry[key] for key in keys))
    ]
    return list(dict.fromkeys(found))


def columns(config: dict) -> dict[str, list[str]]:
    """The same as three lists of equal length."""
    return {name: [getattr(cell, name) for cell in cells(config)] for name in Cell._fields}


def target_files(config: dict, wildcards) -> list[str]:
    return config["datasets"][wildcards.dataset]["targets"]


def read_targets(config: dict, wildcards) -> dict:
    entry = config["datasets"][wildcards.dataset]
    own = {"trigger": entry["trigger"]} if entry["trigger"] else {}
    return own | {"dataset": wildcards.dataset, "columns": entry["columns"], "most_rejected": config["most_rejected"]}


def poison_texts(config: dict, wildcards) -> list[str]:
    return attack(config, wildcards.attack).get("files", [])


def poison_kinds(config: dict, wildcards) -> list[str]:
    """The module that makes the texts."""
    return [f"{KINDS}.{_entry(config, wildcards)['kind']}"]


def poison_corpus(config: dict, wildcards) -> dict:
    return {"attack": wildcards.attack, "kind": _entry(config, wildcards)["kind"], "own": settings(config, wildcards)}


def tried_on(config: dict, wildcards) -> dict:
    """What says which targets the attack is tried on, where these are not all."""
    own = {key: value for key, value in settings(config, wildcards).items() if key in tried.SETTINGS and value}
    return {"tried": own} if own else {}


def clean(config: dict, pattern: str, wildcards) -> str:
    """A table of the clean corpus of a dataset."""
    return filled(config, wildcards.dataset, wildcards.retriever, pattern)


def retrieve_dense(config: dict, wildcards) -> dict:
    """A poisoned passage has no title."""
    own = {key: value for key, value in retrieval.search_dense(config, wildcards).items() if key != "titles"}
    return own | tried_on(config, wildcards)


def retrieve_bm25(config: dict, wildcards) -> dict:
    return retrieval.search_bm25(config, wildcards) | tried_on(config, wildcards)


def measure_attacks(config: dict) -> dict:
    names = {cell.attack: SimpleNamespace(attack=cell.attack) for cell in cells(config)}
    own = {name: (_entry(config, keys)["kind"], settings(config, keys)) for name, keys in names.items()}
    few = {name: tried_on(config, keys)["tried"] for name, keys in names.items() if tried_on(config, keys)}
    shared = config["under_attack"]
    about = {"k": shared["k"], "ks": sorted(shared["ks"]), "texts": sorted(shared["texts"])}
    about |= {"wants": {name: wants(*one) for name, one in own.items()}, "tried": few}
    return about | draws(config, "attacks")


def filled(config, dataset, retriever, pattern):
    corpus = config["datasets"][dataset]["corpus"]
    return pattern.format(corpus=corpus, retriever=retriever, query_set=dataset + QUERIES)


def _entry(config, wildcards):
    return attack(config, wildcards.attack)


def settings(config, wildcards):
    own = _entry(config, wildcards)
    return settings_of(own["kind"], own["settings"], f"attacks.{wildcards.attack}")


def needs(config, name):
    return _kind(config, name).NEEDS


def _kind(config, name):
    return variants.load(KINDS, attack(config, name)["kind"], f"attacks.{name}.kind")


def check(config: dict) -> Iterator[tuple]:
    """Whether corpora, attacks and retrievers exist, can be used for this, and have the settings that they need."""
    corpora = [OWN["corpora"], *config["question_sets"], *config["corpora"]]
    for name, entry in config["datasets"].items():
        for key in ("corpus", "snapshot"):
            if entry[key] is not None and entry[key] not in corpora:
                yield ("datasets", name, key), unknown("corpus", entry[key], corpora)
        if name + QUERIES in config["query_sets"]:
            yield ("datasets", name), f"found a query set {name + QUERIES}, as the study's own is called; rename that"
    for name, entry in config["attacks"].items():
        try:
            settings_of(entry["kind"], entry["settings"], f"attacks.{name}")
        except AttackError as error:
            yield ("attacks", name, "settings"), str(error).partition(": ")[2]
            continue
        if (TEXTS in needs(config, name)) != ("files" in entry):
            found = "files, which this kind does not read" if "files" in entry else "no files, which this kind reads"
            yield ("attacks", name), f"found {found}"
    deepest, kept = max(config["under_attack"]["k"], *config["under_attack"]["ks"]), config["retrieval"]["neighbours"]
    if deepest > kept and cells(config):
        yield ("under_attack", "ks"), f"found {deepest}, expected at most retrieval.neighbours, which is {kept}"
    known = [kind for kind in (BM25, DENSE) for kind in retrieval.retrievers(config, kind)]
    for number, entry in enumerate(config["under_attack"]["cells"]):
        for name in entry["retrievers"]:
            if name in retrieval.retrievers(config, VECTORS):
                found = f"found {name}, whose vectors were computed elsewhere: nothing can embed what is planted"
                yield ("under_attack", "cells", number, "retrievers"), found
            elif name not in known:
                yield ("under_attack", "cells", number, "retrievers"), unknown("retriever", name, known)
        for name in entry["attacks"]:
            if name not in attacks(config):
                yield ("under_attack", "cells", number, "attacks"), unknown("attack", name, attacks(config))
            elif name not in config["attacks"] and TEXTS in needs(config, name):
                yield (
                    ("under_attack", "cells", number, "attacks"),
                    f"found {name}, which needs files; give it an entry in attacks",
                )

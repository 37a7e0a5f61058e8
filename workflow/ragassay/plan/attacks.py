"""Settings of the stages that attack corpora, and what their names stand for."""

from collections.abc import Iterator
from itertools import product
from types import SimpleNamespace
from typing import NamedTuple

from ragassay import variants
from ragassay.attacks import tried
from ragassay.attacks.poison import KINDS, RETRIEVED, RETRIEVER, TEXTS, AttackError, settings_of, wants
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


def corpora(config: dict) -> list[str]:
    """The corpora of all datasets."""
    return list(dict.fromkeys(entry["corpus"] for entry in config["datasets"].values()))


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
    return [name for name in every if optimised is None or optimised == (RETRIEVER in _needs(config, name))]


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
    own = config["datasets"][wildcards.dataset]["columns"]
    return {"dataset": wildcards.dataset, "columns": own, "most_rejected": config["most_rejected"]}


def poison_inputs(config: dict, pattern: str, wildcards) -> list[str]:
    """The clean corpus or its neighbours, for attacks that need what questions find there."""
    if RETRIEVED not in _needs(config, wildcards.attack):
        return []
    return [_filled(config, wildcards.dataset, _attacked(config, wildcards).retriever, pattern)]


def poison_texts(config: dict, wildcards) -> list[str]:
    return attack(config, wildcards.attack).get("files", [])


def poison_kinds(config: dict, wildcards) -> list[str]:
    """The module that makes the texts."""
    return [f"{KINDS}.{_entry(config, wildcards)['kind']}"]


def poison_corpus(config: dict, wildcards) -> dict:
    return {"attack": wildcards.attack, "kind": _entry(config, wildcards)["kind"], "own": _settings(config, wildcards)}


def optimise_passages(config: dict, wildcards) -> dict:
    searched = retrieval.search_dense(config, _attacked(config, wildcards))
    victim = {key: searched[key] for key in ("encoder", "query_encoder", "embeddings", "similarity")}
    return poison_corpus(config, wildcards) | {"retriever": victim, "finished": "optimised"}


def optimised_kinds(config: dict, wildcards) -> list[str]:
    """The module that makes the texts, and those that run the retriever's encoders."""
    return [*poison_kinds(config, wildcards), *retrieval.retriever_kinds(config, _attacked(config, wildcards))]


def attacked_weights(config: dict, wildcards) -> list[str]:
    """The weights of the retriever that is attacked."""
    return retrieval.retriever_weights(config, _attacked(config, wildcards))


def tried_on(config: dict, wildcards) -> dict:
    """What says which targets the attack is tried on, where these are not all."""
    own = {key: value for key, value in _settings(config, wildcards).items() if key in tried.SETTINGS and value}
    return {"tried": own} if own else {}


def clean(config: dict, pattern: str, wildcards) -> str:
    """A table of the clean corpus of a dataset."""
    return _filled(config, wildcards.dataset, wildcards.retriever, pattern)


def retrieve_dense(config: dict, wildcards) -> dict:
    """A poisoned passage has no title."""
    own = {key: value for key, value in retrieval.search_dense(config, wildcards).items() if key != "titles"}
    return own | tried_on(config, wildcards)


def retrieve_bm25(config: dict, wildcards) -> dict:
    return retrieval.search_bm25(config, wildcards) | tried_on(config, wildcards)


def measure_attacks(config: dict) -> dict:
    names = {cell.attack: SimpleNamespace(attack=cell.attack) for cell in cells(config)}
    own = {name: (_entry(config, keys)["kind"], _settings(config, keys)) for name, keys in names.items()}
    few = {name: tried_on(config, keys)["tried"] for name, keys in names.items() if tried_on(config, keys)}
    shared = config["under_attack"]
    about = {"k": shared["k"], "ks": sorted(shared["ks"]), "texts": sorted(shared["texts"])}
    about |= {"wants": {name: wants(*one) for name, one in own.items()}, "tried": few}
    return about | draws(config, "attacks")


def _filled(config, dataset, retriever, pattern):
    corpus = config["datasets"][dataset]["corpus"]
    return pattern.format(corpus=corpus, retriever=retriever, query_set=dataset + QUERIES)


def _attacked(config, wildcards):
    """The retriever that an attack is made for, as a wildcard: one that it names, or the first that it meets."""
    named, optimises = _settings(config, wildcards).get("retriever"), RETRIEVER in _needs(config, wildcards.attack)
    able = retrieval.retrievers(config, DENSE) if optimises else [cell.retriever for cell in cells(config)]
    met = [cell.retriever for cell in cells(config) if cell.dataset == wildcards.dataset and cell.retriever in able]
    own = [
        cell.retriever for cell in cells(config) if (cell.dataset, cell.attack) == (wildcards.dataset, wildcards.attack)
    ]
    found = [named] if named else [*(name for name in own if name in able), *met, *able]
    if not found or found[0] not in able:
        raise NoAttack(f"attacks.{wildcards.attack}: {_no_gradients(named)}")
    return SimpleNamespace(retriever=found[0])


def _no_gradients(name):
    found = f"found the retriever {name!r}" if name else "found no retriever"
    return f"{found}, expected one by vectors whose weights are here: others have no gradients to optimise by"


def _entry(config, wildcards):
    return attack(config, wildcards.attack)


def _settings(config, wildcards):
    own = _entry(config, wildcards)
    return settings_of(own["kind"], own["settings"], f"attacks.{wildcards.attack}")


def _needs(config, name):
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
        named = entry["settings"].get("retriever")
        if named and named not in retrieval.retrievers(config, DENSE):
            yield ("attacks", name, "settings", "retriever"), _no_gradients(named)
        if (TEXTS in _needs(config, name)) != ("files" in entry):
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
            elif name not in config["attacks"] and TEXTS in _needs(config, name):
                yield (
                    ("under_attack", "cells", number, "attacks"),
                    f"found {name}, which needs files; give it an entry in attacks",
                )

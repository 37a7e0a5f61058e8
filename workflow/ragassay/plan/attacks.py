"""Settings of the stages that attack corpora, and what their names stand for."""

from collections.abc import Iterator

from ragassay.base import variants
from ragassay.base.errors import AssayError, unknown
from ragassay.base.method import SettingsError
from ragassay.config.grid import Cell, Grid
from ragassay.plan import models, search
from ragassay.plan.report import draws
from ragassay.plan.search import BM25, DENSE, VECTORS
from ragassay.studies.poisoning.attacks import questions
from ragassay.studies.poisoning.attacks.attack import (
    KINDS,
    RETRIEVER,
    TEXTS,
    WRITER,
    kind_of,
    settings_of,
    wants,
)
from ragassay.studies.poisoning.attacks.attack import needs as needs_of

OWN_ENTRY = {TEXTS: "files", WRITER: "writer"}  # what an attack may need -> the setting of its entry that has it
QUERIES = ".targets"  # ends the name of the query set that a dataset's questions are


class NoAttack(AssayError):
    """A target names an attack or a dataset that the configuration does not have."""


def corpora(config: dict) -> list[str]:
    """The corpora of the datasets that are attacked."""
    datasets = cells(config).column("dataset")
    return list(dict.fromkeys(config["datasets"][name]["corpus"] for name in datasets))


def attack(config: dict, name: str) -> dict:
    """What a name stands for: an entry of `attacks`, or a kind with all defaults."""
    if name in config["attacks"]:
        return config["attacks"][name]
    if name in variants.names(KINDS):
        return {"kind": name, "settings": {}}
    names = [*config["attacks"], *variants.names(KINDS)]
    raise NoAttack(f"a path below results: {unknown('attack', name, names)}")


def attacks(config: dict, optimised: bool | None = None) -> list[str]:
    """All names of attacks, or of those that need a retriever's weights, or of the others."""
    every = dict.fromkeys([*config["attacks"], *variants.names(KINDS)])
    return [name for name in every if optimised is None or optimised == (RETRIEVER in needs(config, name))]


def cells(config: dict) -> Grid:
    """All datasets, retrievers and attacks that meet."""
    return Grid.of_entries(config["under_attack"]["cells"], "dataset", "retriever", "attack")


def poison_texts(config: dict, wildcards) -> list[str]:
    """The table of texts that an attack plants, the user's or one that a model writes."""
    if WRITER in needs(config, wildcards.attack):
        return [f"results/attack_texts/{wildcards.dataset}/{wildcards.attack}.parquet"]
    return attack(config, wildcards.attack).get("files", [])


def needing(config: dict, need: str) -> Grid:
    """Datasets with attacks that need this: WRITER, a model that writes their texts, or RESPONDER, the model that is to
    answer wrongly.
    """
    return cells(config).by("dataset", "attack").where(lambda cell: need in needs(config, cell.attack))


def with_writer(config: dict) -> list[str]:
    """The attacks whose texts a model writes."""
    return [name for name, entry in config["attacks"].items() if "writer" in entry]


def text_writer(config: dict, wildcards) -> str:
    """The model that writes the texts of an attack."""
    return attack(config, wildcards.attack)["writer"]


def paraphrase_targets(config: dict, wildcards) -> dict:
    given = settings(config, wildcards)
    params = {key: given[key] for key in ("texts", "words")} | {"sampling": _entry(config, wildcards)["sampling"]}
    params |= {"dataset": wildcards.dataset}
    return models.asking(config, "paraphrase_targets", text_writer, wildcards) | params


def poison_kinds(config: dict, wildcards) -> list[str]:
    """The module that makes the texts."""
    return [f"{KINDS}.{_entry(config, wildcards)['kind']}"]


def poison_corpus(config: dict, wildcards) -> dict:
    return {"attack": wildcards.attack, "kind": _entry(config, wildcards)["kind"], "own": settings(config, wildcards)}


def tried_on(config: dict, wildcards) -> dict:
    """What says which targets the attack is tried on, where these are not all."""
    choice = {key: value for key, value in settings(config, wildcards).items() if key in questions.SETTINGS and value}
    return {"tried": choice} if choice else {}


def clean(config: dict, pattern: str, wildcards) -> str:
    """A table of the clean corpus of a dataset."""
    return filled(config, wildcards.dataset, wildcards.retriever, pattern)


def retrieve_dense(config: dict, wildcards) -> dict:
    """A poisoned passage has no title."""
    params = {key: value for key, value in search.search_dense(config, wildcards).items() if key != "titles"}
    return params | tried_on(config, wildcards)


def retrieve_bm25(config: dict, wildcards) -> dict:
    return search.search_bm25(config, wildcards) | tried_on(config, wildcards)


def measure_attacks(config: dict) -> dict:
    shared, wanted, tried_targets = config["under_attack"], {}, {}
    for name in cells(config).column("attack"):
        keys = Cell(attack=name)
        wanted[name] = wants(_entry(config, keys)["kind"], settings(config, keys))
        if few := tried_on(config, keys):
            tried_targets[name] = few["tried"]
    params = {"k": shared["k"], "ks": sorted(shared["ks"]), "texts": sorted(shared["texts"])}
    return params | {"wants": wanted, "tried": tried_targets} | draws(config, "attacks")


def filled(config, dataset, retriever, pattern):
    corpus = config["datasets"][dataset]["corpus"]
    return pattern.format(corpus=corpus, retriever=retriever, query_set=dataset + QUERIES)


def _entry(config, wildcards):
    return attack(config, wildcards.attack)


def settings(config, wildcards):
    entry = _entry(config, wildcards)
    return settings_of(entry["kind"], entry["settings"], f"attacks.{wildcards.attack}")


def needs(config, name):
    entry = attack(config, name)
    return needs_of(entry["kind"], entry["settings"], f"attacks.{name}.kind")


def check(config: dict) -> Iterator[tuple]:
    """Whether attacks and retrievers exist, can be used for this, and have the settings that they need."""
    for name in config["datasets"]:
        if name + QUERIES in config["query_sets"]:
            yield ("datasets", name), f"found a query set {name + QUERIES}, as the study's own is called; rename that"
    for name, entry in config["attacks"].items():
        try:
            settings_of(entry["kind"], entry["settings"], f"attacks.{name}")
        except SettingsError as error:
            yield ("attacks", name, "settings"), str(error).partition(": ")[2]
            continue
        aims = kind_of(entry["kind"], f"attacks.{name}").AIMS
        aim = entry["settings"].get("aim")
        if aim and aim not in aims:
            yield ("attacks", name, "settings", "aim"), unknown("aim", aim, aims)
        for needed, key in OWN_ENTRY.items():
            if (needed in needs(config, name)) != (key in entry):
                problem = f"found {key}, which this kind does not read"
                yield ("attacks", name), problem if key in entry else f"found no {key}, which this kind reads"
    deepest, kept = max(config["under_attack"]["k"], *config["under_attack"]["ks"]), config["retrieval"]["neighbours"]
    if deepest > kept and cells(config):
        yield ("under_attack", "ks"), f"found {deepest}, expected at most retrieval.neighbours, which is {kept}"
    allowed = [kind for kind in (BM25, DENSE) for kind in search.retrievers(config, kind)]
    for number, entry in enumerate(config["under_attack"]["cells"]):
        for name in entry["retrievers"]:
            if name in search.retrievers(config, VECTORS):
                problem = f"found {name}, whose vectors were computed elsewhere: nothing can embed what is planted"
                yield ("under_attack", "cells", number, "retrievers"), problem
            elif name not in allowed:
                yield ("under_attack", "cells", number, "retrievers"), unknown("retriever", name, allowed)
        for name in entry["attacks"]:
            if name not in attacks(config):
                yield ("under_attack", "cells", number, "attacks"), unknown("attack", name, attacks(config))
            elif name not in config["attacks"]:
                for key in (OWN_ENTRY[need] for need in needs(config, name) if need in OWN_ENTRY):
                    problem = f"found {name}, which needs {key}; give it an entry in attacks"
                    yield ("under_attack", "cells", number, "attacks"), problem

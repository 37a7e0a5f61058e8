"""Settings of the stages that attack corpora."""

from collections.abc import Iterator
from itertools import product

from ragassay.base.errors import unknown
from ragassay.base.pipeline import shipped
from ragassay.config.grid import Grid
from ragassay.plan import corpora as parts_of_corpora
from ragassay.plan import methods, models, search, targets
from ragassay.plan.methods import NamedMethod
from ragassay.plan.report import draws
from ragassay.plan.search import VECTORS
from ragassay.studies.poisoning.attacks.attack import RETRIEVER, SETTINGS, TEXTS, WRITER

OWN_ENTRY = {TEXTS: "files", WRITER: "writer"}  # what an attack may need -> the setting of its entry that has it
TEXT_WRITER = "attacks/{attack}/writer"  # where the model stands that writes the texts of an attack


def attack(config: dict, name: str) -> NamedMethod:
    return methods.named(config, "attacks", name)


def attacks(config: dict, optimised: bool | None = None) -> list[str]:
    """All names of attacks, or of those that need a retriever's weights, or of the others."""
    every = methods.names(config, "attacks")
    return [name for name in every if optimised is None or optimised == (RETRIEVER in attack(config, name).needs)]


def cells(config: dict) -> Grid:
    """All datasets, retrievers and attacks that meet."""
    return Grid.of_entries(config["under_attack"]["cells"], "dataset", "retriever", "attack")


def corpora(config: dict) -> list[str]:
    """The corpora of the datasets that are attacked."""
    datasets = cells(config).column("dataset")
    return list(dict.fromkeys(config["datasets"][name]["corpus"] for name in datasets))


def poison_texts(config: dict, wildcards) -> list[str]:
    """The table of texts that an attack plants, the user's or one that a model writes."""
    planting = attack(config, wildcards.attack)
    if WRITER in planting.needs:
        return [f"results/attack_texts/{wildcards.dataset}/{wildcards.attack}.parquet"]
    return planting.entry.get("files", [])


def needing(config: dict, need: str) -> Grid:
    """Datasets with attacks that need this: WRITER, a model that writes their texts, or RESPONDER, the model that is to
    answer wrongly.
    """
    return cells(config).by("dataset", "attack").where(lambda cell: need in attack(config, cell.attack).needs)


def writing_prompt(config: dict, wildcards) -> str:
    """The prompt that this model gets."""
    return shipped(f"resources/prompts/{attack(config, wildcards.attack).settings['prompt']}.yaml")


def paraphrase_targets(config: dict, wildcards) -> dict:
    written = attack(config, wildcards.attack)
    params = {key: written.settings[key] for key in ("texts", "words")} | {"sampling": written.entry["sampling"]}
    params |= {"dataset": wildcards.dataset}
    return models.asking(config, "paraphrase_targets", TEXT_WRITER, wildcards, **params)


def kinds(config: dict, wildcards) -> list[str]:
    """The module that makes the texts."""
    return [attack(config, wildcards.attack).module]


def poison_corpus(config: dict, wildcards) -> dict:
    planting = attack(config, wildcards.attack)
    params = {"attack": wildcards.attack, "kind": planting.kind, "settings": planting.settings}
    return params | ({"format": planting.entry["format"]} if "files" in planting.entry else {})


def tried_on(config: dict, name: str) -> dict:
    """What says which targets an attack is tried on, where these are not all."""
    settings = attack(config, name).settings
    choice = {key: value for key, value in settings.items() if key in SETTINGS and value}
    return {"tried": choice} if choice else {}


def in_parts(config: dict, shards: dict) -> list[str]:
    """The datasets whose corpus has several parts."""
    cut = parts_of_corpora.in_parts(config, shards)
    return [name for name, entry in config["datasets"].items() if entry["corpus"] in cut]


def of_parts(config: dict, shards: dict, pattern: str, wildcards) -> list[str]:
    """The tables of the parts of the clean corpus of a dataset."""
    corpus = config["datasets"][wildcards.dataset]["corpus"]
    keys = dict(wildcards.items())
    return [pattern.format(**keys | {"part": part}) for part in parts_of_corpora.parts_of(config, shards, corpus)]


def word_counts(config: dict, wildcards) -> str:
    """The table of how frequent words are in the clean corpus of a dataset."""
    return search.counted(config, config["datasets"][wildcards.dataset]["corpus"], wildcards.retriever)


def retrieve_dense(config: dict, wildcards) -> dict:
    """A poisoned passage has no title."""
    params = {key: value for key, value in search.search_dense(config, wildcards).items() if key != "titles"}
    return params | tried_on(config, wildcards.attack)


def retrieve_bm25(config: dict, wildcards) -> dict:
    return search.search_bm25(config, wildcards) | tried_on(config, wildcards.attack)


def measure_attacks(config: dict) -> dict:
    shared, planted = config["under_attack"], cells(config).column("attack")
    params = {"k": shared["k"], "ks": sorted(shared["ks"]), "texts": sorted(shared["texts"])}
    params |= {"wants": {name: wants(config, name) for name in planted}}
    params |= {"tried": {name: few["tried"] for name in planted if (few := tried_on(config, name))}}
    return params | draws(config, "attacks")


def wants(config: dict, name: str) -> str | None:
    """What an attack wants of the model."""
    planting = attack(config, name)
    return planting.type(planting.settings).wants


def filters(settings: dict) -> list[str] | None:
    """The defences that an attack asks, None for one that asks none."""
    named = settings.get("filter")
    return [named] if isinstance(named, str) else named


def check(config: dict) -> Iterator[tuple]:
    """Whether attacks and retrievers can be used for this, and have the settings that they need."""
    for name in config["datasets"]:
        if (asked := name + targets.QUERIES) in config["query_sets"]:
            yield ("datasets", name), f"found a query set {asked}, as the study's own is called; rename that"
    for name, entry in config["attacks"].items():
        planting = attack(config, name)
        if wrong := list(methods.wrong_settings(planting, "attacks", name, "settings")):
            yield from wrong
            continue
        aim = entry["settings"].get("aim")
        if aim and aim not in planting.type.AIMS:
            yield ("attacks", name, "settings", "aim"), unknown("aim", aim, planting.type.AIMS)
        for problem in targets.wrong_format(entry.get("files", ()), entry["format"]):
            yield ("attacks", name, "files"), problem
        for needed, key in OWN_ENTRY.items():
            if (needed in planting.needs) != (key in entry):
                problem = f"found {key}, which this kind does not read"
                yield ("attacks", name), problem if key in entry else f"found no {key}, which this kind reads"
    deepest, kept = max(config["under_attack"]["k"], *config["under_attack"]["ks"]), config["retrieval"]["neighbours"]
    if deepest > kept and cells(config):
        yield ("under_attack", "ks"), f"found {deepest}, expected at most retrieval.neighbours, which is {kept}"
    for number, entry in enumerate(config["under_attack"]["cells"]):
        place = ("under_attack", "cells", number)
        for name in entry["retrievers"]:
            if name in search.retrievers(config, VECTORS):
                problem = f"found {name}, whose vectors were computed elsewhere: nothing can embed what is planted"
                yield (*place, "retrievers"), problem
        for name, (need, key) in product(entry["attacks"], OWN_ENTRY.items()):
            if name not in config["attacks"] and need in attack(config, name).needs:
                yield (*place, "attacks"), f"found {name}, which needs {key}; give it an entry in attacks"

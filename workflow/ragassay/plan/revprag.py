"""Settings of the stages that look for poisoned answers in a responder's activations."""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from ragassay import variants
from ragassay.attacks.poison import settings_of, wants
from ragassay.errors import AssayError, unknown
from ragassay.plan import attacks, defences, defended, encoders, models
from ragassay.plan.intervals import draws
from ragassay.plan.retrieval import BM25, DENSE, retrievers

KINDS = "ragassay.revprag.kinds"
ANSWERED = "results/answers/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet"


class NoWeights(AssayError):
    """A target names a responder whose activations cannot be read."""


class Cell(NamedTuple):
    dataset: str
    retriever: str
    attack: str
    responder: str


def cells(config: dict) -> list[Cell]:
    """All datasets, retrievers, attacks and responders that meet."""
    keys = ("datasets", "retrievers", "attacks", "responders")
    found = [Cell(*cell) for entry in config["revprag"]["cells"] for cell in product(*(entry[key] for key in keys))]
    return list(dict.fromkeys(found))


def columns(config: dict) -> dict[str, list[str]]:
    """The same as lists of equal length."""
    return {name: [getattr(cell, name) for cell in cells(config)] for name in Cell._fields}


def own(config: dict, pattern: str, wildcards) -> str:
    """A table of the clean corpus that a dataset attacks."""
    return attacks.clean(config, pattern, wildcards)


def pair_prompts(config: dict, wildcards) -> dict:
    about = {
        "dataset": wildcards.dataset,
        "conditions": config["revprag"]["conditions"],
        "k": config["under_attack"]["k"],
    }
    cut = {"cut_after_words": config["documents"]["cut_after_words"]}
    return about | config["duplicates"] | cut | _encoder(config)


def answered(config: dict, wildcards) -> list[str]:
    """What the same responder has answered in the study of attacks: with and without poison, and without passages."""
    keys = {"dataset": wildcards.dataset, "retriever": wildcards.retriever, "responder": wildcards.responder}
    wanted = [(wildcards.attack, "none"), ("none", "none"), ("none", "closed_book")]
    asked = {(cell.attack, cell.defence) for cell in defences.cells(config) if keys.items() <= cell._asdict().items()}
    return [
        ANSWERED.format(**keys, attack=attack, defence=defence)
        for attack, defence in wanted
        if (attack, defence) in asked
    ]


def answer_prompts(config: dict, wildcards) -> dict:
    shared = config["under_attack"]
    about = {"in_lines": shared["prompt"] == defences.LINES, "sampling": shared["sampling"]}
    attack = attacks.attack(config, wildcards.attack)
    given = settings_of(attack["kind"], attack["settings"], f"attacks.{wildcards.attack}")
    about["wants"] = wants(attack["kind"], given)
    return models.asking(config, "answer_prompts", "responder", wildcards) | about


def collect_activations(config: dict, wildcards) -> dict:
    about = {"in_lines": config["under_attack"]["prompt"] == defences.LINES, "embeddings": "embeddings"}
    return about | _read(config, wildcards)


def train_probes(config: dict, wildcards) -> dict:
    entry = config["revprag"]
    probes = {name: _probe(name, own) for name, own in entry["probes"].items()}
    about = {"probes": probes, "shuffles": entry["shuffles"], "fpr": entry["fpr"]}
    return about | _read(config, wildcards) | _encoder(config)


def kinds(config: dict, wildcards) -> list[str]:
    """The modules that fit probes, and the one that embeds answers."""
    names = dict.fromkeys(["logistic", *(entry["kind"] for entry in config["revprag"]["probes"].values())])
    return [*(f"{KINDS}.{name}" for name in names), *encoder_kind(config)]


def encoder_kind(config: dict) -> list[str]:
    return encoders.kind(config, config["revprag"]["encoder"])


def encoder_weights(config: dict) -> list[str]:
    return encoders.weights(config, config["revprag"]["encoder"])


def prompt(config: dict) -> str:
    return defended.prompt(config)


def measure_revprag(config: dict) -> dict:
    return draws(config, "revprag") | {"flips": config["intervals"]["flips"]}


def _encoder(config):
    return encoders.encoder(config, config["revprag"]["encoder"])


def _read(config, wildcards):
    entry = config["models"][wildcards.responder]
    if entry["provider"] != "transformers":
        raise NoWeights(
            f"revprag.cells: found the responder {wildcards.responder} with provider {entry['provider']}, expected one"
            " with provider transformers, whose activations can be read"
        )
    model = {"name": wildcards.responder, "model": entry["model"], "options": entry["options"]}
    return {"model": model, "reading": config["revprag"]["activations"]}


def _probe(name, entry):
    settings = variants.load(KINDS, entry["kind"], f"revprag.probes.{name}.kind").SETTINGS
    return {
        "kind": entry["kind"],
        "settings": settings | entry["settings"],
        "seeds": entry["seeds"],
        "folds": entry["folds"],
    }


def check(config: dict) -> Iterator[tuple]:
    """Whether cells name what can be used, and probes have settings of their kinds."""
    known = [name for kind in (BM25, DENSE) for name in retrievers(config, kind)]
    for number, entry in enumerate(config["revprag"]["cells"]):
        place = ("revprag", "cells", number)
        for name in entry["retrievers"]:
            if name not in known:
                yield (*place, "retrievers"), unknown("retriever", name, known)
        for name in entry["attacks"]:
            if name not in attacks.attacks(config):
                yield (*place, "attacks"), unknown("attack", name, attacks.attacks(config))
        for name in entry["responders"]:
            if config["models"].get(name, {"provider": "transformers"})["provider"] != "transformers":
                yield (
                    (*place, "responders"),
                    f"found {name}, whose activations nobody can read, expected one of transformers",
                )
    for name, entry in config["revprag"]["probes"].items():
        settings = variants.load(KINDS, entry["kind"], f"revprag.probes.{name}.kind").SETTINGS
        for key in entry["settings"]:
            if key not in settings:
                found = unknown("setting", key, settings) if settings else f"{entry['kind']} has no settings"
                yield ("revprag", "probes", name, "settings"), found

"""Settings of the stages that look for poisoned answers in a responder's activations."""

from collections import defaultdict
from collections.abc import Iterator

from ragassay.base.errors import AssayError, unknown
from ragassay.base.method import kind_of
from ragassay.config.grid import Cell, Grid
from ragassay.models.activations.sites import FIRST_GENERATED
from ragassay.plan import attacks, defences, models
from ragassay.plan.report import draws
from ragassay.plan.search import BM25, DENSE, retrievers
from ragassay.studies.poisoning.attacks.attack import wants

KINDS = "ragassay.studies.poisoning.probes.kinds"
NAMES = ("dataset", "retriever", "attack", "responder")
BASELINE = "results/baseline_scores/{dataset}/{retriever}/{attack}/{responder}/{baseline}.parquet"
PROMPT_ANSWERS = "results/prompt_answers/{dataset}/{retriever}/{attack}/{responder}.parquet"
UNPOISONED = {"irrelevant", "misspelt"}  # conditions without any poison
ANSWERED = "results/answers/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet"


class NoWeights(AssayError):
    """A target names a responder whose activations cannot be read."""


def cells(config: dict) -> Grid:
    """All datasets, retrievers, attacks and responders that meet."""
    return Grid.of_entries(config["revprag"]["cells"], *NAMES)


def pair_prompts(config: dict, wildcards) -> dict:
    params = {
        "dataset": wildcards.dataset,
        "conditions": config["revprag"]["conditions"],
        "k": passages_shown(config)[wildcards.dataset, wildcards.retriever, wildcards.attack],
    }
    cut = {"cut_after_words": config["documents"]["cut_after_words"]}
    return params | config["duplicates"] | cut | _encoder(config)


def passages_shown(config: dict) -> dict[tuple, int]:
    """(dataset, retriever, attack) -> how many passages its prompts show."""
    return {names: min(numbers) for names, numbers in _ks(config).items()}


def _ks(config):
    """The same with all numbers that cells name; `check` sees that it is one."""
    numbers = defaultdict(set)
    for entry in config["revprag"]["cells"]:
        for cell in Grid.of_entries([entry], *NAMES[:-1]):
            numbers[tuple(cell.values())].add(entry["k"] or config["under_attack"]["k"])
    return numbers


def answered(config: dict, wildcards) -> list[str]:
    """What the same responder has answered in the study of attacks: with and without poison, and without passages."""
    keys = {"dataset": wildcards.dataset, "retriever": wildcards.retriever, "responder": wildcards.responder}
    wanted = [(wildcards.attack, "none"), ("none", "none"), ("none", "closed_book")]
    cells = [Cell(keys, attack=attack, defence=defence) for attack, defence in wanted]
    asked = defences.answered(config)
    return Grid(cell for cell in cells if cell in asked).over(ANSWERED)


def answer_prompts(config: dict, wildcards) -> dict:
    kind = attacks.attack(config, wildcards.attack)["kind"]
    params = defences.answering(config) | {"wants": wants(kind, attacks.settings(config, wildcards))}
    return models.asking(config, "answer_prompts", "responder", wildcards) | params


def collect_activations(config: dict, wildcards) -> dict:
    params = {"in_lines": defences.answering(config)["in_lines"], "embeddings": "embeddings"}
    return params | {"reading": config["revprag"]["activations"]} | _model(config, wildcards)


def begun(config: dict, wildcards) -> list[str]:
    """The answers whose first tokens are read; none where that is the last token of the prompt."""
    reading = config["revprag"]["activations"]
    begins = reading["as_released"] or reading["position"] == FIRST_GENERATED
    return [PROMPT_ANSWERS.format(**wildcards)] if begins else []


def train_probes(config: dict, wildcards) -> dict:
    entry = config["revprag"]
    probes = {name: _probe(name, probe) for name, probe in entry["probes"].items()}
    params = {"probes": probes, "shuffles": entry["shuffles"], "fpr": entry["fpr"]}
    return params | _model(config, wildcards) | _encoder(config)


def baselines(config: dict, wildcards) -> list[str]:
    """What other methods say of the prompts of a cell."""
    return [BASELINE.format(**wildcards, baseline=name) for name in config["revprag"]["baselines"]]


def scrutinised(config: dict) -> Grid:
    """The cells whose answers are scrutinised."""
    return cells(config) if "scrutiny" in config["revprag"]["baselines"] else Grid([])


def scrutinise_answers(config: dict, wildcards) -> dict:
    params = config["revprag"]["scrutiny"] | {"in_lines": defences.answering(config)["in_lines"]}
    return models.asking(config, "scrutinise_answers", "responder", wildcards) | params


def mask_passages(config: dict, wildcards) -> dict:
    params = {"in_lines": defences.answering(config)["in_lines"]}
    return params | config["revprag"]["masking"] | _model(config, wildcards)


def project_activations(config: dict) -> dict:
    return {"embeddings": "embeddings", "most": config["revprag"]["pictured"], "seed": config["intervals"]["seed"]}


def generalisations(config: dict) -> list[str]:
    """The comparisons of which some cell is run."""
    entries = config["revprag"]["generalisation"].items()
    return [name for name, entry in entries if _run(config, entry)]


def generalised(config: dict, pattern: str, wildcards) -> list[str]:
    """A file of each cell that is compared."""
    return _run(config, _comparison(config, wildcards)).each(pattern)


def generalised_kind(config: dict, wildcards) -> list[str]:
    entry = config["revprag"]["probes"][_comparison(config, wildcards)["probe"]]
    return [f"{KINDS}.{name}" for name in dict.fromkeys(["logistic", entry["kind"]])]


def transfer_probes(config: dict, wildcards) -> dict:
    comparison = _comparison(config, wildcards)
    entry = _probe(comparison["probe"], config["revprag"]["probes"][comparison["probe"]])
    return {
        "cells": [dict(cell) for cell in _run(config, comparison)],
        "across": comparison["across"],
        "places": comparison["places"],
        "probe": comparison["probe"],
        "entry": {name: entry[name] for name in ("kind", "settings", "seeds", "folds")},
        "conditions": comparison["conditions"],
        "fpr": config["revprag"]["fpr"],
        "embeddings": "embeddings",
    }


def _comparison(config, wildcards):
    return config["revprag"]["generalisation"][wildcards.generalisation]


def _run(config, comparison):
    """The cells of a comparison that are run."""
    wanted = Grid.of_entries([comparison], *NAMES)
    return cells(config).where(lambda cell: cell in wanted)


def kinds(config: dict, wildcards) -> list[str]:
    """The modules that fit probes, and the one that embeds answers."""
    names = dict.fromkeys(["logistic", *(entry["kind"] for entry in config["revprag"]["probes"].values())])
    return [*(f"{KINDS}.{name}" for name in names), *models.encoder_kind(config, config["revprag"]["encoder"])]


def measure_revprag(config: dict) -> dict:
    return draws(config, "revprag") | {"flips": config["intervals"]["flips"]}


def _encoder(config):
    return models.encoder(config, config["revprag"]["encoder"])


def _model(config, wildcards):
    name = wildcards.responder
    entry = config["models"][name]
    if entry["provider"] != "transformers":
        raise NoWeights(
            f"revprag.cells: found the responder {name} with provider {entry['provider']}, expected one"
            " with provider transformers, whose activations can be read"
        )
    return {"model": {"name": name, "model": entry["model"], "options": entry["options"]}}


def _kind(name, entry):
    return kind_of(KINDS, entry["kind"], f"revprag.probes.{name}.kind")


def _probe(name, entry):
    return {
        "kind": entry["kind"],
        "settings": _kind(name, entry).SETTINGS | entry["settings"],
        **{key: entry[key] for key in ("seeds", "folds", "layers", "conditions")},
    }


def check(config: dict) -> Iterator[tuple]:
    """Whether cells name what can be used, and probes have settings of their kinds."""
    allowed = [name for kind in (BM25, DENSE) for name in retrievers(config, kind)]
    entries = {("revprag", "cells", number): entry for number, entry in enumerate(config["revprag"]["cells"])}
    compared = {
        ("revprag", "generalisation", name): stated for name, stated in config["revprag"]["generalisation"].items()
    }
    for place, entry in (entries | compared).items():
        for name in entry["retrievers"]:
            if name not in allowed:
                yield (*place, "retrievers"), unknown("retriever", name, allowed)
        for name in entry["attacks"]:
            if name not in attacks.attacks(config):
                yield (*place, "attacks"), unknown("attack", name, attacks.attacks(config))
        for name in entry["responders"]:
            if config["models"].get(name, {"provider": "transformers"})["provider"] != "transformers":
                yield (
                    (*place, "responders"),
                    f"found {name}, whose activations nobody can read, expected one of transformers",
                )
    if not set(config["revprag"]["conditions"]) - UNPOISONED:
        yield ("revprag", "conditions"), "found none with poison, which probes are fitted on; add one, such as matched"
    kept = config["retrieval"]["neighbours"]
    for names, stated in _ks(config).items():
        if len(stated) > 1:
            problem = f"found k {' and '.join(map(str, sorted(stated)))} for {'/'.join(names)}, expected one number"
            yield ("revprag", "cells"), f"{problem}: its prompts are the same for all responders"
        elif max(stated) > kept:
            yield ("revprag", "cells"), f"found k {max(stated)}, expected at most retrieval.neighbours, which is {kept}"
    for place, entry in compared.items():
        probe = config["revprag"]["probes"].get(entry["probe"])
        if probe is None:
            yield (*place, "probe"), unknown("probe", entry["probe"], config["revprag"]["probes"])
        elif _kind(entry["probe"], probe).OUTPUT:
            problem = f"found {entry['probe']}, which reads the output layer of one model"
            yield (*place, "probe"), f"{problem}, expected a probe that reads activations alone"
    for name, entry in config["revprag"]["probes"].items():
        kind = _kind(name, entry)
        settings = kind.SETTINGS
        if kind.OUTPUT and entry["layers"] is not None:
            read = "the last one" if kind.OUTPUT == "last" else "all"
            problem = f"found layers {entry['layers']}, expected none: {entry['kind']} reads {read}"
            yield ("revprag", "probes", name, "layers"), problem
        place = ("revprag", "probes", name, "settings")
        for key in entry["settings"]:
            if key not in settings:
                yield place, unknown("setting", key, settings) if settings else f"{entry['kind']} has no settings"

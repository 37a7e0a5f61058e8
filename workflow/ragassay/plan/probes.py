"""Settings of the stages that look for poisoned answers in a responder's activations."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain, product

from ragassay.base.errors import AssayError
from ragassay.config.grid import Cell, Grid
from ragassay.models.activations.sites import FIRST_GENERATED, MLP
from ragassay.models.recording import PROVIDER
from ragassay.plan import attacks, defences, measures, methods, models
from ragassay.plan.defences import CLEAN
from ragassay.plan.documents import near_duplicates
from ragassay.plan.search import VECTORS, retrievers

READ = ("transformers", PROVIDER)  # providers whose activations can be read
KINDS = "ragassay.studies.poisoning.probes.kinds"
NAMES = ("dataset", "retriever", "attack", "responder")
BASELINE = "results/baseline_scores/{dataset}/{retriever}/{attack}/{responder}/{baseline}.parquet"
RETRIEVED = "retrieved"  # the condition whose passages defences judge
UNPOISONED = {"irrelevant", "misspelt"}  # conditions without any poison
FILTERED = "results/filtered/{dataset}/{retriever}/{attack}.parquet"
ANSWERED = "results/answers/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet"


class NoWeights(AssayError):
    """A target names a responder whose activations cannot be read."""


def cells(config: dict) -> Grid:
    """All datasets, retrievers, attacks and responders that meet."""
    return Grid.of_entries(config["revprag"]["cells"], *NAMES)


def pair_prompts(config: dict, wildcards) -> dict:
    k = passages_shown(config)[wildcards.dataset, wildcards.retriever, wildcards.attack]
    params = {"dataset": wildcards.dataset, "conditions": config["revprag"]["conditions"], "k": k}
    return params | near_duplicates(config) | _encoder(config)


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
    params = defences.answering(config) | {"wants": attacks.wants(config, wildcards.attack)}
    return models.asking(config, "answer_prompts", "responder", wildcards, **params)


def collect_activations(config: dict, wildcards) -> dict:
    params = {"in_lines": defences.answering(config)["in_lines"], "embeddings": "embeddings"}
    return params | {"readings": readings(config)} | _model(config, wildcards)


def readings(config: dict) -> list[dict]:
    """What is read in one pass: what `activations` says, and where else probes look, at the layers that they name."""
    base, layers_at = config["revprag"]["activations"], {}
    first = (MLP, FIRST_GENERATED) if base["as_released"] else (base["site"], base["position"])
    for entry in config["revprag"]["probes"].values():
        where = entry["site"] or first[0], entry["position"] or first[1]
        layers_at.setdefault(where, []).append(entry["layers"])
    layers_at.pop(first, None)
    beside = []
    for (site, position), layers in sorted(layers_at.items()):
        named = None if None in layers else sorted({*chain(*layers)})
        beside.append({"site": site, "position": position, "layers": named})
    return [base, *beside]


def train_probes(config: dict, wildcards) -> dict:
    entry = config["revprag"]
    probes = {name: _probe(config, name) for name in entry["probes"]}
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
    return models.asking(config, "scrutinise_answers", "responder", wildcards, **params)


def mask_passages(config: dict, wildcards) -> dict:
    params = {"in_lines": defences.answering(config)["in_lines"]}
    return params | config["revprag"]["masking"] | _model(config, wildcards)


def generalisations(config: dict) -> list[str]:
    """The comparisons of which some cell is run."""
    entries = config["revprag"]["generalisation"].items()
    return [name for name, entry in entries if _run(config, entry)]


def generalised(config: dict, pattern: str, wildcards) -> list[str]:
    """A file of each cell that is compared."""
    return _run(config, _comparison(config, wildcards)).each(pattern)


def generalised_kind(config: dict, wildcards) -> list[str]:
    return _modules(config, [_comparison(config, wildcards)["probe"]])


def transfer_probes(config: dict, wildcards) -> dict:
    comparison = _comparison(config, wildcards)
    entry = _probe(config, comparison["probe"])
    params = {name: comparison[name] for name in ("across", "places", "probe", "conditions")}
    params |= {"cells": [dict(cell) for cell in _run(config, comparison)], "fpr": config["revprag"]["fpr"]}
    params |= {"entry": {name: value for name, value in entry.items() if name != "conditions"}}
    return params | {"embeddings": "embeddings"}


def _comparison(config, wildcards):
    return config["revprag"]["generalisation"][wildcards.generalisation]


def _run(config, comparison):
    """The cells of a comparison that are run."""
    wanted = Grid.of_entries([comparison], *NAMES)
    return cells(config).where(lambda cell: cell in wanted)


def kinds(config: dict, wildcards) -> list[str]:
    """The modules that fit probes, and the one that embeds answers."""
    modules = _modules(config, config["revprag"]["probes"])
    return [*modules, *models.encoder_kind(config, config["revprag"]["encoder"])]


def _modules(config, names):
    """Those of probes; controls are logistic."""
    return list(dict.fromkeys([f"{KINDS}.logistic", *(_method(config, name).module for name in names)]))


def _encoder(config):
    return models.encoder(config, config["revprag"]["encoder"])


def _model(config, wildcards):
    name = wildcards.responder
    entry = config["models"][name]
    if entry["provider"] not in READ:
        raise NoWeights(
            f"revprag.cells: found the responder {name} with provider {entry['provider']}, expected one"
            " with provider transformers or recorded, whose activations can be read"
        )
    return {"model": {"name": name} | {key: entry[key] for key in ("provider", "model", "options")}}


def _method(config, name):
    return methods.of_entry(KINDS, config["revprag"]["probes"][name], f"revprag.probes.{name}.kind")


def _probe(config, name):
    method = _method(config, name)
    stated = {key: method.entry[key] for key in ("kind", "seeds", "folds", "site", "position", "layers", "conditions")}
    return stated | {"settings": method.settings}


def beside_defences(config: dict) -> Grid:
    """The cells whose probes are compared with defences that look at passages; none without defences."""
    return cells(config) if config["revprag"]["defences"] else Grid([])


def filtered(config: dict, wildcards) -> list[str]:
    """What defences say of the passages that questions find: without the attack, and under it."""
    return [FILTERED.format_map(Cell(wildcards.items(), attack=attack)) for attack in (CLEAN, wildcards.attack)]


def _filtered(config, cell):
    pairs = product(config["revprag"]["defences"], (CLEAN, cell.attack))
    shared = {"dataset": cell.dataset, "retriever": cell.retriever}
    return [Cell(shared, attack=attack, defence=defence) for defence, attack in pairs]


def check(config: dict) -> Iterator[tuple]:
    """Whether cells name what can be used, and probes have settings of their kinds."""
    study, kept = config["revprag"], config["retrieval"]["neighbours"]
    compared = {("generalisation", name): entry for name, entry in study["generalisation"].items()}
    for place, entry in ({("cells", number): entry for number, entry in enumerate(study["cells"])} | compared).items():
        for name in entry["retrievers"]:
            if name in retrievers(config, VECTORS):
                problem = f"found {name}, whose vectors were computed elsewhere: nothing can embed what is planted"
                yield ("revprag", *place, "retrievers"), problem
        for name in entry["responders"]:
            provider = config["models"][name]["provider"]
            if provider not in READ:
                problem = f"found {name}, whose activations nobody can read, expected one of transformers, or recorded"
                yield ("revprag", *place, "responders"), problem
            elif provider == PROVIDER and study["baselines"]:
                problem = f"found {study['baselines'][0]}, which asks what is not recorded of {name}"
                yield ("revprag", "baselines"), f"{problem}, expected none"
    if not set(study["conditions"]) - UNPOISONED:
        yield ("revprag", "conditions"), "found none with poison, which probes are fitted on; add one, such as matched"
    for names, numbers in _ks(config).items():
        if len(numbers) > 1:
            problem = f"found k {' and '.join(map(str, sorted(numbers)))} for {'/'.join(names)}, expected one number"
            yield ("revprag", "cells"), f"{problem}: its prompts are the same for all responders"
        elif max(numbers) > kept:
            problem = f"found k {max(numbers)}, expected at most retrieval.neighbours, which is {kept}"
            yield ("revprag", "cells"), problem
    for place, entry in compared.items():
        if _method(config, entry["probe"]).type.OUTPUT:
            problem = f"found {entry['probe']}, which reads the output layer of one model"
            yield ("revprag", *place, "probe"), f"{problem}, expected a probe that reads activations alone"
    for name, entry in study["probes"].items():
        method, place = _method(config, name), ("revprag", "probes", name)
        if method.type.OUTPUT and entry["layers"] is not None:
            read = "the last one" if method.type.OUTPUT == "last" else "all"
            problem = f"found layers {entry['layers']}, expected none: {method.kind} reads {read}"
            yield (*place, "layers"), problem
        yield from methods.wrong_settings(method, *place, "settings")
    yield from _wrong_defences(config)


def _wrong_defences(config):
    """Defences that do not score the passages which prompts show."""
    entry, place = config["revprag"], ("revprag", "defences")
    scoring = []
    for name in entry["defences"]:
        kind = defences.defence(config, name).type
        if kind.PROMPTS or kind.REWRITES:
            yield place, f"found {name}, which asks a model, expected defences that score passages"
        elif not defences.links(config, name):
            yield place, f"found {name}, which has no links; give an entry of `defences` this kind and its links"
        elif not defences.wrong_links(config, name):
            scoring.append(name)
    if entry["defences"] and RETRIEVED not in entry["conditions"]:
        yield place, f"found no condition {RETRIEVED}, whose passages are judged; add it to revprag.conditions"
    most, depth = max(passages_shown(config).values(), default=0), config["under_attack"]["depth"]
    if scoring and most > depth:
        yield place, f"found prompts of {most} passages, expected at most under_attack.depth, which is {depth}"
    judged = Grid(cell for answered in cells(config) for cell in _filtered(config, answered))
    yield from measures.wrong_scorers(config, judged.where(lambda cell: cell.defence in scoring))

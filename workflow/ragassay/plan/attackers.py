"""What an attacker has: the retriever and the reader that it optimises against, and what questions find."""

from collections.abc import Iterator
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.config.grid import Cell, Grid
from ragassay.plan import attacks, defences, measures, models, search, targets
from ragassay.plan.search import DENSE
from ragassay.studies.poisoning.attacks.attack import FILTER, READER, RESPONDER, RETRIEVED, RETRIEVER


class NoAttack(AssayError):
    """The configuration has nothing that an attack could be made against."""


def needs(config: dict, wildcards) -> tuple[str, ...]:
    return attacks.attack(config, wildcards.attack).needs


def poison_inputs(config: dict, pattern: str, wildcards) -> list[str]:
    """The clean corpus or its neighbours, for attacks that need what questions find there."""
    if RETRIEVED not in needs(config, wildcards):
        return []
    return [targets.clean(config, pattern, Cell(wildcards.items(), **_attacked(config, wildcards)))]


def optimise_passages(config: dict, wildcards) -> dict:
    victim, needed = search.compared(config, _attacked(config, wildcards)), needs(config, wildcards)
    params = attacks.poison_corpus(config, wildcards) | {"retriever": victim, "finished": "optimised"}
    if RESPONDER in needed:
        ledger = str(Path("ledger/optimise_passages", wildcards.dataset, wildcards.attack))
        params["model"] = models.model(config, _responder(config, wildcards))
        params["responder"] = {"ledger": ledger} | defences.answering(config)
    if FILTER in needed:
        params["filters"] = _filters(config, wildcards)
    if READER in needed:
        name = _reader(config, wildcards)
        entry = {key: config["models"][name][key] for key in ("model", "options")}
        in_lines = config["under_attack"]["prompt"] == "lines"
        params |= {"reader": {"name": name, "entry": entry, "in_lines": in_lines}}
    return params


def optimised_kinds(config: dict, wildcards) -> list[str]:
    """The module that makes the texts, and those that run the retriever's encoders."""
    kinds = [*attacks.kinds(config, wildcards), *search.retriever_kinds(config, _attacked(config, wildcards))]
    if RESPONDER in needs(config, wildcards):
        kinds += models.provider_of(config, _responder, wildcards)
    return kinds


def awaited(config: dict, wildcards) -> list[str]:
    """The weights of what is attacked, retriever and reader, and the fitted defences that an attack is made for, with
    the folders of their scorers if these are trained here.
    """
    paths, needed = search.retriever_weights(config, _attacked(config, wildcards)), needs(config, wildcards)
    paths += models.weights_of(config, _reader, wildcards) if READER in needed else []
    filters = _filters(config, wildcards) if FILTER in needed else []
    folders = [each["scorer"] for each in filters if isinstance(each["scorer"], str)]
    return [*paths, *dict.fromkeys([each["path"] for each in filters] + folders)]


def _filters(config, wildcards):
    """Each with its file and its scorer: a folder, or the entry of a model, or nothing."""
    retriever, filters = _attacked(config, wildcards).retriever, []
    for name in attacks.filters(attacks.attack(config, wildcards.attack).settings):
        guard = defences.guard(config, Cell(dataset=wildcards.dataset, defence=name, retriever=retriever))
        if not guard:
            raise NoAttack(f"attacks.{wildcards.attack}: {_not_fitted(name)}")
        filters.append({"path": guard[0], "scorer": _scorer(config, wildcards.dataset, name)})
    return filters


def _scorer(config, dataset, defence):
    """What a defence scores texts with, if it does."""
    for name in defences.scorers(config, defence):
        folder = measures.trained(config, Cell(dataset=dataset, scorer=name))
        entry = measures.scorer(config, name).entry
        return folder[0] if folder else {key: entry[key] for key in ("model", "options") if key in entry}
    return None


def _not_fitted(name):
    return f"found the filter {name!r}, expected a defence that has thresholds, such as raguard"


def access(config: dict, wildcards) -> dict | None:
    """How the model is called that an attack asks, if it asks one."""
    return models.access_of(config, _responder, wildcards) if RESPONDER in needs(config, wildcards) else None


def _first_met(config, cells: Grid, wildcards, name):
    """The names that meet a dataset, those that its attack meets first."""
    of_dataset = [cell for cell in cells if cell.dataset == wildcards.dataset]
    return [cell[name] for cell in sorted(of_dataset, key=lambda cell: cell.attack != wildcards.attack)]


def _responder(config, wildcards):
    """The model that an attack asks: one that it names, or the first that it meets."""
    stated = attacks.attack(config, wildcards.attack).settings["responder"]
    met = _first_met(config, defences.answered(config), wildcards, "responder")
    if not stated and not met:
        raise NoAttack(f"attacks.{wildcards.attack}: found no responder, which this kind asks; name one")
    return stated or met[0]


def _attacked(config, wildcards):
    """The retriever that an attack is made for, as a wildcard: one that it names, or the first that it meets."""
    attack = attacks.attack(config, wildcards.attack)
    stated, met = attack.settings.get("retriever"), _first_met(config, attacks.cells(config), wildcards, "retriever")
    able = search.retrievers(config, DENSE) if RETRIEVER in attack.needs else met
    usable = [stated] if stated else [*(name for name in met if name in able), *able]
    if not usable or usable[0] not in able:
        raise NoAttack(f"attacks.{wildcards.attack}: {_no_gradients(stated)}")
    return Cell(retriever=usable[0])


def _reader(config, wildcards):
    """The model whose weights an attack uses: one that it names, or the first that is on this machine."""
    stated, able = attacks.attack(config, wildcards.attack).settings.get("reader"), _readers(config)
    if (stated and stated not in able) or not able:
        raise NoAttack(f"attacks.{wildcards.attack}: {_no_weights(stated)}")
    return stated or able[0]


def _readers(config):
    return [name for name, entry in config["models"].items() if entry["provider"] == "transformers"]


def _no_gradients(name):
    problem = f"found the retriever {name!r}" if name else "found no retriever"
    return f"{problem}, expected one by vectors whose weights are here: others have no gradients to optimise by"


def _no_weights(name):
    problem = f"found the reader {name!r}" if name else "found no reader"
    return f"{problem}, expected a model of provider transformers, whose weights are here"


def _without_trigger(config):
    """Datasets that general triggers attack though no question holds the word. Beside a twin whose questions do, such a
    dataset is the control.
    """
    met = [cell for cell in attacks.cells(config) if attacks.attack(config, cell.attack).kind == "general_trigger"]
    triggered = {(cell.attack, _targets(config, cell)) for cell in met if config["datasets"][cell.dataset]["trigger"]}
    for cell in met:
        if (cell.attack, _targets(config, cell)) not in triggered:
            remedy = f"attack a twin, too: datasets: {{{cell.dataset}_triggered: {{..., trigger: xylophone}}}}"
            yield f"found the attack {cell.attack} on {cell.dataset}, whose questions hold no trigger; {remedy}"


def _targets(config, cell):
    """Corpus and targets of a dataset, as its twins with and without a trigger share them."""
    return str({key: value for key, value in config["datasets"][cell.dataset].items() if key != "trigger"})


def check(config: dict) -> Iterator[tuple]:
    """Whether what attacks name to optimise against can be used for that, and a trigger is in some questions."""
    for problem in _without_trigger(config):
        yield ("under_attack", "cells"), problem
    for name, entry in config["attacks"].items():
        place = ("attacks", name, "settings")
        retriever, reader = (entry["settings"].get(key) for key in ("retriever", "reader"))
        if retriever and retriever not in search.retrievers(config, DENSE):
            yield (*place, "retriever"), _no_gradients(retriever)
        for passed in attacks.filters(entry["settings"]) or ():
            if not defences.defence(config, passed).type.IS_FITTED:
                yield (*place, "filter"), _not_fitted(passed)
            elif named := defences.encoders(config, passed):
                problem = f"found the filter {passed!r}, which compares the vectors of its encoder {named[0]!r}"
                yield (*place, "filter"), f"{problem}, expected one that compares those of the retriever"
        if reader and reader not in _readers(config):
            yield (*place, "reader"), _no_weights(reader)

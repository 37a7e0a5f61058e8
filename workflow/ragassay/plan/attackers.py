"""What an attacker has: the retriever and the reader that it optimises against, and what questions find."""

from collections.abc import Iterator
from pathlib import Path

from ragassay.base.errors import unknown
from ragassay.config.grid import Cell
from ragassay.plan import attacks, defences, measures, models, search
from ragassay.plan.attacks import NoAttack
from ragassay.plan.search import DENSE
from ragassay.studies.poisoning.attacks.attack import FILTER, READER, RESPONDER, RETRIEVED, RETRIEVER
from ragassay.studies.poisoning.defences.defence import kind_of


def poison_inputs(config: dict, pattern: str, wildcards) -> list[str]:
    """The clean corpus or its neighbours, for attacks that need what questions find there."""
    if RETRIEVED not in attacks.needs(config, wildcards.attack):
        return []
    return [attacks.filled(config, wildcards.dataset, _attacked(config, wildcards).retriever, pattern)]


def optimise_passages(config: dict, wildcards) -> dict:
    searched = search.search_dense(config, _attacked(config, wildcards))
    victim = {key: searched[key] for key in ("encoder", "query_encoder", "embeddings", "similarity")}
    params = attacks.poison_corpus(config, wildcards) | {"retriever": victim, "finished": "optimised"}
    if RESPONDER in attacks.needs(config, wildcards.attack):
        ledger = str(Path("ledger/optimise_passages", wildcards.dataset, wildcards.attack))
        params["model"] = models.model(config, _responder(config, wildcards))
        params["responder"] = {"ledger": ledger} | defences.answering(config)
    if FILTER in attacks.needs(config, wildcards.attack):
        guard, *folder = attacked_filter(config, wildcards)
        params |= {"filter": {"path": guard, "scorer": folder[0] if folder else _scorer(config, wildcards)}}
    if READER not in attacks.needs(config, wildcards.attack):
        return params
    name, in_lines = _reader(config, wildcards), config["under_attack"]["prompt"] == "lines"
    entry = {key: value for key, value in config["models"][name].items() if key in ("model", "options")}
    return params | {"reader": {"name": name, "entry": entry, "in_lines": in_lines}}


def optimised_kinds(config: dict, wildcards) -> list[str]:
    """The module that makes the texts, and those that run the retriever's encoders."""
    kinds = [*attacks.poison_kinds(config, wildcards), *search.retriever_kinds(config, _attacked(config, wildcards))]
    if RESPONDER in attacks.needs(config, wildcards.attack):
        kinds += models.provider_of(config, "responder", {"responder": _responder(config, wildcards)})
    return kinds


def attacked_weights(config: dict, wildcards) -> list[str]:
    """The weights of the retriever that is attacked."""
    return search.retriever_weights(config, _attacked(config, wildcards))


def reader_weights(config: dict, wildcards) -> list[str]:
    """The weights of the model that is attacked, if there is one."""
    has_reader = READER in attacks.needs(config, wildcards.attack)
    return models.weights(config["models"][_reader(config, wildcards)]) if has_reader else []


def attacked_filter(config: dict, wildcards) -> list[str]:
    """The fitted defence that an attack is made for, and the folder of its scorer if that is trained here."""
    if FILTER not in attacks.needs(config, wildcards.attack):
        return []
    name = attacks.settings(config, wildcards)["filter"]
    keys = Cell(dataset=wildcards.dataset, defence=name, retriever=_attacked(config, wildcards).retriever)
    guard, scorers = defences.guard(config, keys), defences.scorers(config, name)
    if not guard:
        raise NoAttack(f"attacks.{wildcards.attack}: {_not_fitted(name)}")
    folders = [measures.trained(config, Cell(dataset=keys.dataset, scorer=scorer)) for scorer in scorers]
    return [*guard, *(folder for files in folders for folder in files)]


def _scorer(config, wildcards):
    """The entry of the model that a filter scores texts with, if it does."""
    names = defences.scorers(config, attacks.settings(config, wildcards)["filter"])
    entries = [measures.scorer(config, name) for name in names]
    return next(({key: entry[key] for key in ("model", "options") if key in entry} for entry in entries), None)


def _not_fitted(name):
    return f"found the filter {name!r}, expected a defence that has thresholds, such as raguard"


def access(config: dict, wildcards) -> dict | None:
    """How the model is called that an attack asks, if it asks one."""
    asks = RESPONDER in attacks.needs(config, wildcards.attack)
    return models.access(config, _responder(config, wildcards)) if asks else None


def _responder(config, wildcards):
    """The model that an attack asks: one that it names, or the first that it meets."""
    cells = [cell for cell in defences.answered(config) if cell.dataset == wildcards.dataset]
    met = [cell.responder for cell in sorted(cells, key=lambda cell: cell.attack != wildcards.attack)]
    responder = attacks.settings(config, wildcards)["responder"] or next(iter(met), None)
    if responder not in config["models"]:
        raise NoAttack(f"attacks.{wildcards.attack}: {_no_responder(responder, config)}")
    return responder


def _no_responder(name, config):
    return unknown("model", name, config["models"]) if name else "found no responder, which this kind asks; name one"


def _attacked(config, wildcards):
    """The retriever that an attack is made for, as a wildcard: one that it names, or the first that it meets."""
    named, needs = attacks.settings(config, wildcards).get("retriever"), attacks.needs(config, wildcards.attack)
    cells = [cell for cell in attacks.cells(config) if cell.dataset == wildcards.dataset]
    met = [cell.retriever for cell in sorted(cells, key=lambda cell: cell.attack != wildcards.attack)]
    able = search.retrievers(config, DENSE) if RETRIEVER in needs else met
    usable = [named] if named else [*(name for name in met if name in able), *able]
    if not usable or usable[0] not in able:
        raise NoAttack(f"attacks.{wildcards.attack}: {_no_gradients(named)}")
    return Cell(retriever=usable[0])


def _reader(config, wildcards):
    """The model whose weights an attack uses: one that it names, or the first that is on this machine."""
    named, able = attacks.settings(config, wildcards).get("reader"), _readers(config)
    if (named and named not in able) or not able:
        raise NoAttack(f"attacks.{wildcards.attack}: {_no_weights(named)}")
    return named or able[0]


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
    allowed = attacks.attacks(config)
    met = [cell for cell in attacks.cells(config) if cell.attack in allowed and cell.dataset in config["datasets"]]
    met = [cell for cell in met if attacks.attack(config, cell.attack)["kind"] == "general_trigger"]
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
    for entry in _without_trigger(config):
        yield ("under_attack", "cells"), entry
    for name, entry in config["attacks"].items():
        retriever, reader = (entry["settings"].get(key) for key in ("retriever", "reader"))
        if retriever and retriever not in search.retrievers(config, DENSE):
            yield ("attacks", name, "settings", "retriever"), _no_gradients(retriever)
        kept = entry["settings"].get("filter")
        if kept and kept not in defences.defences(config):
            yield ("attacks", name, "settings", "filter"), unknown("defence", kept, defences.defences(config))
        elif kept and not kind_of(defences.defence(config, kept)["kind"]).IS_FITTED:
            yield ("attacks", name, "settings", "filter"), _not_fitted(kept)
        responder = entry["settings"].get("responder")
        if responder and responder not in config["models"]:
            yield ("attacks", name, "settings", "responder"), _no_responder(responder, config)
        if reader and reader not in _readers(config):
            yield ("attacks", name, "settings", "reader"), _no_weights(reader)

"""Poison through whole services: which ones are measured, with what, and whether their entries can be used."""

from collections.abc import Iterator

from ragassay.config.grid import Cell
from ragassay.config.services import SERVICE
from ragassay.plan import attacks, corpora, defences, gates, measures, models, search, services

POISONED = "results/poisoned_passages/{dataset}/{attack}.parquet"


def measured(config: dict) -> list[str]:
    """The services that are, as responders are called."""
    return [SERVICE + name for cell in _cells(config) for name in cell["services"]["names"]]


def _cells(config):
    return [cell for cell in config["under_attack"]["cells"] if "services" in cell]


def _rehearsal(config, wildcards) -> Cell:
    """What the cell of a service and its own entry say, with the encoder of its collection, and the guard, `defence`,
    whose scorers are cells of their own.
    """
    name = wildcards.responder.removeprefix(SERVICE)
    cell = next(cell for cell in _cells(config) if name in cell["services"]["names"])
    entry = cell["services"] | config["services"][name]["rehearsal"]
    dataset, defence = cell["datasets"][0], next(iter(_fitted(config, cell)), None)
    return Cell(
        entry,
        dataset=dataset,
        retriever=cell["retrievers"][0],
        attacks=[attack for attack in cell["attacks"] if attacks.wants(config, attack)],
        defence=defence,
        scorers=[Cell(dataset=dataset, scorer=name) for name in (defences.scorers(config, defence) if defence else [])],
        encoder=config["collections"][entry["collection"]].get("encoder"),
    )


def _fitted(config, cell):
    return [name for name in cell["defences"] if defences.defence(config, name).type.IS_FITTED]


def targets(config: dict, wildcards) -> str:
    return f"results/targets/{_rehearsal(config, wildcards).dataset}.parquet"


def passages(config: dict, wildcards) -> list[str]:
    cell = _rehearsal(config, wildcards)
    return [POISONED.format(dataset=cell.dataset, attack=attack) for attack in cell.attacks]


def gate(config: dict, wildcards) -> list[str]:
    """The folder of the project's first gate, if it is asked."""
    asked = gates.gates(config).cells[:1] if _rehearsal(config, wildcards).gate else []
    return [f"results/gates/{cell.corpus}/{cell.retriever}" for cell in asked]


def guard(config: dict, wildcards) -> list[str]:
    """The file of the fitted guard, if the cell names one."""
    cell = _rehearsal(config, wildcards)
    return defences.guard(config, cell) if cell.defence else []


def scorer(config: dict, wildcards) -> list[str]:
    """The folder of its scorer, if it has one that is trained here."""
    return [folder for each in _rehearsal(config, wildcards).scorers for folder in measures.trained(config, each)]


def weights(config: dict, wildcards) -> list[str]:
    """Those of a scorer that was trained elsewhere, and of encoders."""
    cell = _rehearsal(config, wildcards)
    paths = [path for each in cell.scorers for path in measures.weights(config, each)]
    paths += search.retriever_weights(config, cell) if cell.defence else []
    return list(dict.fromkeys([*paths, *(models.encoder_weights(config, cell.encoder) if cell.encoder else [])]))


def modules(config: dict, wildcards) -> list[str]:
    """What a job loads by its name."""
    cell = _rehearsal(config, wildcards)
    names = [*services.modules(config, wildcards), corpora.connector(config, cell.collection)]
    names += models.encoder_kind(config, cell.encoder) if cell.encoder else []
    if cell.defence:
        names += [*defences.kinds(config, cell), *search.retriever_kinds(config, cell)]
        names += [module for each in cell.scorers for module in measures.kinds(config, each)]
    return list(dict.fromkeys(names))


def poison_service(config: dict, wildcards) -> dict:
    cell = _rehearsal(config, wildcards)
    params = models.asking(config, "poison_service", "responder", wildcards)
    params["model"] = _instance(params["model"], cell)
    params |= {"count": cell.targets, "collection": cell.collection, "search": {}, "encoder": None}
    params["tried"] = {name: few["tried"] for name in cell.attacks if (few := attacks.tried_on(config, name))}
    params["entry"] = config["collections"][cell.collection]
    if cell.encoder:
        params["encoder"] = models.encoder(config, cell.encoder)["encoder"]
    if cell.defence:
        params["search"] = search.compared(config, cell)
    return params


def _instance(model, entry):
    """The service as it is when it searches in the collection for tests."""
    service = model["service"]
    settings = service["local_settings"] | entry["local_settings"]
    address = entry["address"] or model["base_url"]
    return model | {"base_url": address, "service": service | {"local_settings": settings}}


def check(config: dict) -> Iterator[tuple]:
    """Whether each service stands in one cell and has a collection that is its alone, and for tests."""
    users, seen = {}, []
    for number, cell in enumerate(config["under_attack"]["cells"]):
        place = ("under_attack", "cells", number)
        if "services" not in cell:
            continue
        yield from (((*place, *key), problem) for key, problem in _wrong_cell(config, cell))
        for name in cell["services"]["names"]:
            if name in seen:
                yield (*place, "services", "names"), f"found {name}, which another cell names, expected it in one"
            seen.append(name)
            if "rehearsal" not in config["services"][name]:
                yield ("services", name), "found no rehearsal, expected the instance that is asked under attack"
    for name, service in config["services"].items():
        if "rehearsal" in service:
            entry, place = service["rehearsal"], ("services", name, "rehearsal")
            users.setdefault(entry["collection"], []).append(name)
            yield from (((*place, *key), problem) for key, problem in _wrong_rehearsal(config, service, users))


def _wrong_cell(config, cell):
    for key in ("datasets", "retrievers"):
        if len(cell[key]) > 1:
            yield (key,), f"found {len(cell[key])}, expected one where services are asked"
    fitted = _fitted(config, cell)
    if len(fitted) > 1:
        yield ("defences",), f"found {', '.join(fitted)}, expected at most one that is fitted where services are asked"
    if fitted and cell["retrievers"][0] not in search.retrievers(config, search.DENSE):
        yield ("retrievers",), f"found {cell['retrievers'][0]}, expected one by vectors where services are asked"
    if cell["services"]["gate"] and not len(gates.gates(config)):
        yield ("services", "gate"), "found true, and no gate in the relevance study, expected a set there"


def _wrong_rehearsal(config, service, users):
    entry = service["rehearsal"]
    collection = entry["collection"]
    if config["collections"][collection]["staging"] is not True:
        problem = f"found {collection}, whose entry has no staging: true; nothing is written there"
        yield ("collection",), f"{problem}: name a copy that nobody but your test uses"
    if len(users[collection]) > 1:
        yield ("collection",), f"found {collection}, where {users[collection][0]} is asked, too, expected its own"
    if any(corpus.get("collection") == collection for corpus in config["corpora"].values()):
        yield ("collection",), f"found {collection}, which is read as a corpus, too, expected one that is not"
    if entry["local_settings"] and not service["local_server"]:
        yield ("local_settings",), "found some, expected none for a service without local_server"

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


def _entry(config, wildcards):
    """What the cell of a service and its own entry say."""
    name = wildcards.responder.removeprefix(SERVICE)
    cell = next(cell for cell in _cells(config) if name in cell["services"]["names"])
    fitted = [name for name in cell["defences"] if defences.defence(config, name).type.IS_FITTED]
    entry = {"dataset": cell["datasets"][0], "retriever": cell["retrievers"][0], "guard": next(iter(fitted), None)}
    entry |= {"attacks": [attack for attack in cell["attacks"] if attacks.wants(config, attack)]}
    return entry | cell["services"] | config["services"][name]["rehearsal"]


def targets(config: dict, wildcards) -> str:
    return f"results/targets/{_entry(config, wildcards)['dataset']}.parquet"


def passages(config: dict, wildcards) -> list[str]:
    entry = _entry(config, wildcards)
    return [POISONED.format(dataset=entry["dataset"], attack=attack) for attack in entry["attacks"]]


def gate(config: dict, wildcards) -> list[str]:
    """The folder of the project's first gate, if it is asked."""
    asked = gates.gates(config).cells[:1] if _entry(config, wildcards)["gate"] else []
    return [f"results/gates/{cell.corpus}/{cell.retriever}" for cell in asked]


def guard(config: dict, wildcards) -> list[str]:
    """The file of the fitted guard, if the cell names one."""
    cell = _guard_cell(config, wildcards)
    return defences.guard(config, cell) if cell.defence else []


def scorer(config: dict, wildcards) -> list[str]:
    """The folder of its scorer, if it has one that is trained here."""
    return [folder for cell in _scorers(config, wildcards) for folder in measures.trained(config, cell)]


def weights(config: dict, wildcards) -> list[str]:
    """Those of a scorer that was trained elsewhere, and of encoders."""
    cell = _guard_cell(config, wildcards)
    paths = [path for scorer_cell in _scorers(config, wildcards) for path in measures.weights(config, scorer_cell)]
    paths += search.retriever_weights(config, cell) if cell.defence else []
    return list(dict.fromkeys([*paths, *(models.encoder_weights(config, cell.encoder) if cell.encoder else [])]))


def modules(config: dict, wildcards) -> list[str]:
    """What a job loads by its name."""
    entry, cell = _entry(config, wildcards), _guard_cell(config, wildcards)
    names = [*services.modules(config, wildcards), corpora.connector(config, entry["collection"])]
    names += models.encoder_kind(config, cell.encoder) if cell.encoder else []
    if cell.defence:
        names += [*defences.kinds(config, cell), *search.retriever_kinds(config, cell)]
        names += [module for scored in _scorers(config, wildcards) for module in measures.kinds(config, scored)]
    return list(dict.fromkeys(names))


def poison_service(config: dict, wildcards) -> dict:
    entry, cell = _entry(config, wildcards), _guard_cell(config, wildcards)
    params = models.asking(config, "poison_service", "responder", wildcards)
    params["model"] = _instance(params["model"], entry)
    params |= {"count": entry["targets"], "collection": entry["collection"], "search": {}, "encoder": None}
    params["tried"] = {name: few["tried"] for name in entry["attacks"] if (few := attacks.tried_on(config, name))}
    params["entry"] = config["collections"][entry["collection"]]
    if cell.encoder:
        params["encoder"] = models.encoder(config, cell.encoder)["encoder"]
    if cell.defence:
        searched = search.search_dense(config, cell)
        params["search"] = {key: searched[key] for key in ("encoder", "query_encoder", "embeddings", "similarity")}
    return params


def _instance(model, entry):
    """The service as it is when it searches in the collection for tests."""
    service = model["service"]
    settings = service["local_settings"] | entry["local_settings"]
    address = entry["address"] or model["base_url"]
    return model | {"base_url": address, "service": service | {"local_settings": settings}}


def _guard_cell(config, wildcards):
    """Dataset, retriever and defence of the guard, and the encoder of the collection."""
    entry = _entry(config, wildcards)
    encoder = config["collections"][entry["collection"]].get("encoder")
    names = {"dataset": entry["dataset"], "retriever": entry["retriever"], "defence": entry["guard"]}
    return Cell(names | {"encoder": encoder})


def _scorers(config, wildcards):
    cell = _guard_cell(config, wildcards)
    names = defences.scorers(config, cell.defence) if cell.defence else []
    return [Cell(dataset=cell.dataset, scorer=name) for name in names]


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
    fitted = [name for name in cell["defences"] if defences.defence(config, name).type.IS_FITTED]
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

"""The models and encoders of the configuration, for stages that ask or run them."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ragassay.base.errors import AssayError, closest, closest_file, unknown
from ragassay.config import prices
from ragassay.config.services import SERVICE
from ragassay.models import files, recording
from ragassay.models.recording import PROVIDER
from ragassay.plan import entries

FOLDER = "results/models/"
DEMO_LM = f"{FOLDER}demo-lm"  # the one that a rule trains
HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?", re.ASCII)
# How a model is called changes none of its answers, and so it re-runs nothing.
LIMITS = ("concurrency", "requests_per_minute", "tokens_per_minute", "timeout", "budget_usd")
ACCESS = ("mode", "client", "key_variable", *LIMITS, "longest_answer", "price")
ON_THIS_MACHINE = ("rules", "script", "transformers", PROVIDER)  # providers that compute; others wait for a server


class UnknownModel(AssayError):
    """A target names a model that the configuration does not have."""


def weights(entry: dict) -> list[str]:
    """What a job that reads the model waits for, and runs again for if it changes: the files of a folder (weights or
    replies), or the folder where this workflow makes it; nothing of packages, the hub's cache or elsewhere.
    """
    model, provider = entry["model"], entry.get("provider", "transformers")
    if model.startswith(FOLDER) or provider == PROVIDER:
        return [model]
    if provider == "script":
        return sorted(str(path) for path in Path(model).rglob("*.yaml"))
    if provider != "transformers" or not Path(model).is_dir():
        return []
    return [str(path) for path in files.read_files(Path(model))]


def named(config: dict, role, wildcards) -> str:
    """The model or encoder of a job: the one that a wildcard names, that stands at a place such as
    `attacks/{attack}/writer`, or that a function finds; `role` is one of these.
    """
    if callable(role):
        return role(config, wildcards)
    return entries.at(config, role, wildcards) if "/" in role else wildcards.get(role)


def weights_of(config: dict, role, wildcards) -> list[str]:
    """Its weights. A question set or a responder that was recorded, which may stand in its place, has none."""
    entry = config["models"].get(named(config, role, wildcards))
    return weights(entry) if entry else []


def model(config: dict, name: str) -> dict:
    """A model's settings for the call layer, except how it is called and what only measuring uses."""
    entry = _entry(config, name)
    unused = (*_access(entry), "cutoff", "note")
    return {"name": name, "register": str(Path("ledger/models", name))} | {
        key: value for key, value in entry.items() if key not in unused
    }


def access(config: dict, name: str) -> dict:
    """How a model is called."""
    entry = _entry(config, name)
    return {key: entry.get(key) for key in _access(entry)}


def _access(entry):
    """A server that the entry identifies may move without a re-run."""
    return (*ACCESS, "base_url") if entry.get("identity") else ACCESS


def access_of(config: dict, role, wildcards) -> dict:
    """How the model of a job is called; `stage.run` adds it to the model's settings."""
    return access(config, named(config, role, wildcards))


def provider_of(config: dict, role, wildcards) -> list[str]:
    """The module behind that model's answers, which a script loads by its name."""
    return [f"ragassay.calls.providers.{_entry(config, named(config, role, wildcards))['provider']}"]


def threads_of(config: dict, role, wildcards) -> int:
    """How many threads a job takes that asks that model."""
    entry = _entry(config, named(config, role, wildcards))
    service = entry.get("service") or {"kind": None, "local_server": None}
    return int(entry["provider"] in ON_THIS_MACHINE or service["kind"] == "python" or bool(service["local_server"]))


def asking(config: dict, stage: str, role, wildcards, **more) -> dict:
    """Settings of every stage that asks: the model of a job, its ledger, whose place names the model, too, and more."""
    name, keys = named(config, role, wildcards), dict(wildcards.items())
    places = [*keys.values(), *([] if role in keys else [name])]
    ledger = str(Path("ledger", stage, *places))
    return {"model": model(config, name), "ledger": ledger, "most_rejected": config["most_rejected"], **more}


def shown(config: dict) -> dict:
    """The configuration as the report shows it: without how models are called, which may change while it stays."""
    models = config["models"].items()
    models = {name: {key: entry[key] for key in entry if key not in ACCESS} for name, entry in models}
    return {**{key: value for key, value in config.items() if key not in ("download", "services")}, "models": models}


def encoder(config: dict, name: str = "") -> dict:
    """The named encoder, or that of the scope study, and the folder of vectors of all studies."""
    name = name or config["scope"]["hardness"]["encoder"]
    return {"encoder": {"name": name, **config["encoders"][name]}, "embeddings": "embeddings"}


def encoder_weights(config: dict, name: str = "") -> list[str]:
    """Its weights, as inputs."""
    return weights(encoder(config, name)["encoder"])


def encoder_kind(config: dict, name: str = "") -> list[str]:
    """The module that runs it, which a script loads by its name."""
    return [f"ragassay.models.encoders.kinds.{encoder(config, name)['encoder']['kind']}"]


def encoder_of(config: dict, role: str, of, wildcards) -> list[str]:
    """What `of` says of the encoder of a job: its weights, or its kind."""
    return of(config, named(config, role, wildcards))


def needs_key(entry: dict) -> bool:
    """Whether a run asks this model with a key."""
    return bool(entry["key_variable"]) and entry["mode"] != "replay"


def check(config: dict) -> Iterator[tuple]:
    """Whether models have their price and key, and those in folders and packages exist. A run looks for names of the
    hub before its first job.
    """
    for name, entry in config["models"].items():
        if "price" not in entry:
            yield ("models", name), prices.without_price(entry)
    yield from _keys_missing(config)
    for name, entry in config["models"].items():
        place, model = ("models", name, "model"), entry["model"]
        if entry["provider"] == "script" and not Path(model).is_dir():
            yield place, f"found {model!r}, expected a folder with replies{closest_file(model)}"
        elif entry["provider"] == PROVIDER:
            try:
                recording.read_card(model)
            except recording.RecordingError as error:
                yield place, str(error)
    local = {name: entry for name, entry in config["models"].items() if entry["provider"] == "transformers"}
    for section, of_files in {"models": local, "encoders": config["encoders"]}.items():
        for name, entry in of_files.items():
            model = entry["model"]
            if model.startswith("package:"):
                try:
                    files.in_package(name, model)
                except files.WeightsError as error:
                    yield (section, name, "model"), str(error).removeprefix(f"{name}: ")
            elif model != DEMO_LM and _is_folder(model) and not Path(model).is_dir():
                likely = closest(model, [DEMO_LM]) or closest_file(model)
                yield (section, name, "model"), f"found {model!r}, no such folder, expected one with weights{likely}"


def _keys_missing(config):
    """A problem for each variable that is not set."""
    asking = {}
    for name, entry in config["models"].items():
        if needs_key(entry) and not os.environ.get(entry["key_variable"], "").strip():
            asking.setdefault(entry["key_variable"], []).append(name)
    for variable, names in asking.items():
        first, is_service = config["models"][names[0]], names[0].startswith(SERVICE)
        place = ("services", names[0].removeprefix(SERVICE)) if is_service else ("models", names[0])
        place += () if variable == prices.usual_key(first) else ("key_variable",)
        problem = f"found nothing in the environment variable {variable}, expected the key of {', '.join(names)}"
        yield place, f"{problem}; in your shell: export {variable}=..., or name another as key_variable"


def of_hub(config: dict) -> dict[tuple, dict]:
    """(section, name) -> the entry of each model, encoder or scorer that no folder and no package holds."""
    local = {name: entry for name, entry in config["models"].items() if entry["provider"] == "transformers"}
    sections = {"models": local, "encoders": config["encoders"], "scorers": config["scorers"]}
    every = {(section, name): entry for section in sections for name, entry in sections[section].items()}
    return {key: entry for key, entry in every.items() if "model" in entry and _is_hubs(entry["model"])}


def _is_hubs(model):
    return HUB_NAME.fullmatch(model) and not _is_folder(model) and not Path(model).is_dir()


def _is_folder(model):
    """Whether it can be no name of the hub's, or begins with a folder of the project."""
    return not HUB_NAME.fullmatch(model) or ("/" in model and Path(Path(model).parts[0]).is_dir())


def _entry(config, name):
    if name not in config["models"]:
        raise UnknownModel(f"a path below results: {unknown('model', name, config['models'])}")
    return config["models"][name]

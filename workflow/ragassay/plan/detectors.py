"""Settings of the stages of detectors, and the detectors in use. Planning loads no model, nor what runs one."""

from collections.abc import Iterator

from ragassay.base.errors import unknown
from ragassay.plan import models
from ragassay.plan.documents import near_duplicates
from ragassay.plan.report import draws
from ragassay.plan.services import models_among

CONTROLS = ("overlap", "question_alone")  # kinds; a set's section has controls of its own, in folds, too


def used(config: dict) -> list[str]:
    """Each detector with each of its encoders, as the paths of results have them."""
    methods, used = config["detectors"]["methods"], config["detectors"]["use"]
    return [f"{name}/{encoder}" for name in used for encoder in methods[name]["encoders"]]


def method(config: dict, name: str, encoder: str) -> dict:
    """One detector and the entry of its encoder, without what changes no feature."""
    settings = config["detectors"]["methods"][name]
    options = {key: settings[key] for key in ("appended", "layer")}
    if settings["kind"] == "appended_token":
        entry = {key: config["models"][encoder][key] for key in ("model", "options")}
    else:
        entry = config["encoders"][encoder]
    params = {"detector": name, "kind": settings["kind"], "encoder": {"name": encoder, **entry}, "options": options}
    return {"detector": params, "embeddings": "embeddings"}


def trained(config: dict, wildcards) -> list[dict]:
    """The settings of the detector that a job trains."""
    return [method(config, wildcards.detector, wildcards.encoder)["detector"]]


def applied(config: dict, wildcards=None) -> list[dict]:
    """The same of all in use."""
    return [method(config, *pair.split("/"))["detector"] for pair in used(config)]


def folded(config: dict, wildcards=None) -> list[dict]:
    """The same of those that are trained in folds: all but the two that stand as controls beside them."""
    return [params for params in applied(config) if params["kind"] not in CONTROLS]


def modules(config: dict, wildcards, of) -> list[str]:
    """The modules that compute features of detectors, which scripts load by their names; `of` says which."""
    kinds = []
    for params in of(config, wildcards):
        kinds.append(f"ragassay.studies.scope.detectors.kinds.{params['kind']}")
        if params["kind"] != "appended_token":
            kinds.append(f"ragassay.models.encoders.kinds.{params['encoder']['kind']}")
    return list(dict.fromkeys(kinds))


def weights(config: dict, wildcards, of) -> list[str]:
    """The weights of their models, as inputs."""
    return list(dict.fromkeys(file for params in of(config, wildcards) for file in models.weights(params["encoder"])))


def train_detector(config: dict, wildcards) -> dict:
    params = {name: config["detectors"][name] for name in ("recipe", "seeds", "shares", "most_questions")}
    cut = {"cut_after_words": config["documents"]["cut_after_words"]}
    return {**method(config, wildcards.detector, wildcards.encoder), **cut, **params}


def apply_detectors(config: dict, wildcards) -> dict:
    """Near-duplicates are defined as in the study."""
    shared = {"embeddings": "embeddings", "asked": wildcards.asked}
    return {"detectors": applied(config)} | shared | near_duplicates(config)


def predict_in_folds(config: dict, wildcards) -> dict:
    params = {"name": wildcards.asked, "detectors": folded(config), "embeddings": "embeddings"}
    return params | near_duplicates(config)


def measure_detectors(config: dict) -> dict:
    """The study's own generator is the first; those that are asked what is out of scope are judges and responders."""
    scope = config["scope"]
    asked_models = [*scope["judges"], *models_among(scope["responders"])]
    return {"generator": scope["generators"][0], "asked_models": asked_models, **draws(config, "detectors")}


def check(config: dict) -> Iterator[tuple]:
    """Whether the detectors in use have encoders, or models if they take hidden states, that the configuration has."""
    methods = config["detectors"]["methods"]
    for name in config["detectors"]["use"]:
        states = methods[name]["kind"] == "appended_token"
        what, entries = ("model", config["models"]) if states else ("encoder", config["encoders"])
        for encoder in methods[name]["encoders"]:
            if encoder not in entries:
                yield ("detectors", "methods", name, "encoders"), unknown(what, encoder, entries)

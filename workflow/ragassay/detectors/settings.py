"""What the stages of detectors need to know, as plain values; where that depends on wildcards, functions of them.

Asked for when the workflow is read, so nothing here loads a model or what runs one.
"""

from ragassay import own_models
from ragassay.code import code_version


def used(config: dict) -> list[str]:
    """Each detector with each of its encoders, as the paths of results have them."""
    methods, used = config["detectors"]["methods"], config["detectors"]["use"]
    return [f"{name}/{encoder}" for name in used for encoder in methods[name]["encoders"]]


def method(config: dict, name: str, encoder: str) -> dict:
    """One detector and the entry of its encoder, without what changes no feature."""
    own = config["detectors"]["methods"][name]
    options = {key: own[key] for key in ("appended", "layer")}
    if own["kind"] == "appended_token":
        entry = config["models"][encoder]
        entry = {"model": entry["model"], "options": entry["options"]}
    else:
        entry = config["encoders"][encoder]
    about = {"detector": name, "kind": own["kind"], "encoder": {"name": encoder, **entry}, "options": options}
    return {"detector": about, "embeddings": "embeddings"}


def modules(config: dict, name: str, encoder: str) -> list[str]:
    """The modules that compute its features, which are loaded by their names."""
    kind = config["detectors"]["methods"][name]["kind"]
    found = [f"ragassay.detectors.kinds.{kind}"]
    if kind != "appended_token":
        found.append(f"ragassay.encoders.kinds.{config['encoders'][encoder]['kind']}")
    return found


def made_weights(config: dict, name: str, encoder: str) -> list[str]:
    """The folder of a detector's model if this workflow trains it, so that it does so first."""
    return own_models.weights(method(config, name, encoder)["detector"]["encoder"])


def training(config: dict) -> dict:
    own = {name: config["detectors"][name] for name in ("recipe", "seeds", "shares")}
    return {**own, "cut_after_words": config["documents"]["cut_after_words"]}


def applying(config: dict) -> dict:
    """What counts as the same document, as it does in the study."""
    return {**config["duplicates"], "cut_after_words": config["documents"]["cut_after_words"]}


def of_asked(config: dict, shards, pattern: str, wildcards) -> list[str]:
    """These tables of whose questions are asked: a question set, which is one shard, or a generator."""
    name = wildcards.asked
    own = [name] if name in config["question_sets"] else shards
    return [pattern.format(asked=name, shard=shard) for shard in own]


def metrics(config: dict) -> dict:
    """The study's own generator is the first; those that are asked what is out of scope are judges and responders."""
    scope = config["scope"]
    own = {"generator": scope["generators"][0], "asked_models": [*scope["judges"], *scope["responders"]]}
    return {**own, **{name: config["detectors"][name] for name in ("resamples", "seed")}}


def of_detector(config: dict, find):
    """What the detector and the encoder that are the wildcards need."""

    def found(wildcards):
        return find(config, wildcards.detector, wildcards.encoder)

    return found


def of_stage(config: dict, more: dict):
    """These settings with those of the detector; with `asked`, if that is a wildcard."""

    def settings_for(wildcards):
        asked = {name: value for name, value in wildcards.items() if name == "asked"}
        return {**method(config, wildcards.detector, wildcards.encoder), **more, **asked}

    return settings_for


def code(config: dict, script: str):
    """The code of a script and of the modules that compute features, which it loads by name."""

    def version(wildcards):
        return code_version(script, *modules(config, wildcards.detector, wildcards.encoder))

    return version

"""What the stages about people need to know: parts of the configuration, as plain dictionaries."""

from itertools import product
from pathlib import Path

from ragassay.question_sets.names import RECORDED


def of_generator(config: dict, shards: dict, pattern: str, wildcards) -> list[str]:
    """These tables of a generator's questions, or of a question set's, for all shards, responders and prompts."""
    own, scope = config["question_sets"].get(wildcards.generator), config["scope"]
    answered = [(responder, RECORDED) for responder in own["responders"]] if own else []
    if not own or own["responding"]:
        answered += product(scope["responders"], scope["responding"]["prompts"])
    told = answered if "{responder}" in pattern else [("", "")]
    return [
        pattern.format_map({**wildcards, "shard": shard, "responder": responder, "prompt": prompt})
        for shard, (responder, prompt) in product([wildcards.generator] if own else shards, told)
    ]


def sample(config: dict) -> dict:
    annotation = config["scope"]["annotation"]
    return {name: annotation[name] for name in ("questions", "confidence", "margin", "groups", "seed")}


def file(config: dict, name: str) -> str:
    """A file beside the labels of people, by generator and judge; no rule writes it."""
    return f"{config['scope']['annotation']['folder']}/{{generator}}/{{judge}}/{name}"


def labelled(config: dict, names=None) -> dict[str, list[str]]:
    """Generators and question sets (or those of `names`) of which people have labelled some, each with the judge by
    whose labels the sample was drawn, which is the study's own; as two lists of equal length.
    """
    judge, names = config["scope"]["judges"][0], known(config) if names is None else names
    events = file(config, "events.jsonl")
    found = [name for name in names if Path(events.format(generator=name, judge=judge)).exists()]
    return {"generator": found, "judge": [judge] * len(found)}


def known(config: dict) -> list[str]:
    """Whose questions can be labelled."""
    return [*config["scope"]["generators"], *config["question_sets"]]


def gold(config: dict) -> dict:
    return {"annotators_per_item": config["scope"]["annotation"]["annotators_per_item"]}


def agreement(config: dict) -> dict:
    """The study's own judge is the first."""
    annotation = config["scope"]["annotation"]
    same = {name: annotation[name] for name in ("annotators_per_item", "resamples", "seed")}
    return {"judges": config["scope"]["judges"], **same}

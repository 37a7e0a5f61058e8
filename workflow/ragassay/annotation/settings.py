"""What the stages about people need to know: parts of the configuration, as plain dictionaries."""

from itertools import product
from pathlib import Path


def of_generator(config: dict, shards: dict, pattern: str, wildcards) -> list[str]:
    """These tables of a generator's questions, or of a question set's, for all shards, responders and prompts."""
    own = config["question_sets"].get(wildcards.generator)
    parts = {
        "shard": [wildcards.generator] if own else shards,
        "responder": own["responders"] if own else config["scope"]["responders"],
        "prompt": ["recorded"] if own else config["scope"]["responding"]["prompts"],
    }
    asked = {name: values for name, values in parts.items() if f"{{{name}}}" in pattern}
    cells = (dict(zip(asked, cell, strict=True)) for cell in product(*asked.values()))
    return [pattern.format_map({**wildcards, **cell}) for cell in cells]


def sample(config: dict) -> dict:
    annotation = config["scope"]["annotation"]
    return {name: annotation[name] for name in ("questions", "confidence", "margin", "groups", "seed")}


def file(config: dict, name: str) -> str:
    """A file beside the labels of people, by generator and judge; no rule writes it."""
    return f"{config['scope']['annotation']['folder']}/{{generator}}/{{judge}}/{name}"


def labelled(config: dict) -> list[str]:
    """The judge by whose labels the study's own sample was drawn, if people have labelled some of it; else none."""
    generator, judge = (config["scope"][role][0] for role in ("generators", "judges"))
    events = file(config, "events.jsonl").format(generator=generator, judge=judge)
    return [judge] if Path(events).exists() else []


def gold(config: dict) -> dict:
    return {"annotators_per_item": config["scope"]["annotation"]["annotators_per_item"]}


def agreement(config: dict) -> dict:
    """The study's own judge is the first."""
    annotation = config["scope"]["annotation"]
    same = {name: annotation[name] for name in ("annotators_per_item", "resamples", "seed")}
    return {"judges": config["scope"]["judges"], **same}

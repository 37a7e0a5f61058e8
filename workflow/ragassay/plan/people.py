"""Settings of the stages about people, and the samples that people labelled."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from ragassay.config.grid import Grid
from ragassay.plan.report import draws
from ragassay.plan.services import answering, responders_of
from ragassay.studies.scope.votes import RECORDED

LABEL = re.compile(rb'"event": ?"label"')


def tables_of(config: dict, shards: dict, pattern: str, wildcards) -> list[str]:
    """These tables of a generator's questions, or of a question set's, for all shards, responders and prompts."""
    entry, scope = config["question_sets"].get(wildcards.generator), config["scope"]
    answered = [(responder, RECORDED) for responder in entry["responders"]] if entry else []
    answered += answering(config, responders_of(config, wildcards.generator) if entry else scope["responders"])
    responders = answered if "{responder}" in pattern else [("", "")]
    return [
        pattern.format_map({**wildcards, "shard": shard, "responder": responder, "prompt": prompt})
        for shard, (responder, prompt) in product([wildcards.generator] if entry else shards, responders)
    ]


def file(config: dict, name: str) -> str:
    """The pattern of a file beside the labels of people; no rule writes it."""
    return f"{config['scope']['annotation']['folder']}/{{generator}}/{{judge}}/{name}"


def labelled(config: dict, names=None) -> Grid:
    """Generators and question sets (or those of `names`) of which people have labelled some, each with the judge by
    whose labels the sample was drawn, which is the study's own.
    """
    judge, names = config["scope"]["judges"][0], sources(config) if names is None else names
    events = file(config, "events.jsonl")
    every = Grid.of_rows(("generator", "judge"), [(name, judge) for name in names])
    return every.where(lambda cell: _has_labels(Path(events.format_map(cell))))


def _has_labels(events):
    """Whether a log of clicks has a label: the page was perhaps opened and no more."""
    if not events.exists():
        return False
    with events.open("rb") as clicks:
        return any(LABEL.search(click) for click in clicks)


def sources(config: dict) -> list[str]:
    """The generators and question sets whose questions can be labelled."""
    return [*config["scope"]["generators"], *config["question_sets"]]


def measure_agreement(config: dict) -> dict:
    """The study's own judge is the first."""
    scope = config["scope"]
    shared = {"judges": scope["judges"], "annotators_per_item": scope["annotation"]["annotators_per_item"]}
    return shared | draws(config, "agreement")


def check(config: dict) -> Iterator[tuple]:
    """Whether labels of people still exist. They become inputs as soon as they exist, so that only their results show
    that they are gone.
    """
    judge = config["scope"]["judges"][0]
    made = {name: Path("results/annotations", name, f"{judge}.parquet") for name in sources(config)}
    with_labels = labelled(config).column("generator")
    for name in [name for name in made if name in with_labels or made[name].exists()]:
        for pattern in ("events.jsonl", "items.parquet"):
            path = file(config, pattern).format(generator=name, judge=judge)
            if not Path(path).is_file():
                remedy = "restore it" + (f", or delete {made[name]} to do without" if name not in with_labels else "")
                yield ("scope", "annotation", "folder"), f"found no {path}, though people labelled {name}; {remedy}"

"""`ragassay exam`: record a model on this machine for the questions of the study of activations, in one file that a run
elsewhere takes for one more responder."""

import contextlib
import json
import logging
import re
import sys
from pathlib import Path

import yaml

from ragassay.base.atomic import write_text
from ragassay.base.errors import AssayError
from ragassay.base.pipeline import configfiles, run_command, shipped, snakemake, status_of
from ragassay.base.stage import log
from ragassay.calls.prompts import PromptPair
from ragassay.command.check import configuration
from ragassay.config import schema
from ragassay.models.activations.state_store import Decoder
from ragassay.models.recording import PROVIDER
from ragassay.plan import defences, defended, probes
from ragassay.studies.poisoning.probes.recorder import Recorder

FOLDER = Path("recordings")
TARGETS, PAIRS = "results/targets/{dataset}.parquet", "results/prompt_pairs/{dataset}/{retriever}/{attack}.parquet"
LAYERS = 4  # that are read unless somebody names some, spread over the model
OTHERS = re.compile(r"[^A-Za-z0-9._-]+")  # characters that no name has


class ExamError(AssayError):
    """A model cannot be recorded as somebody asks."""


def run_exam(model: str, name: str, options: dict, sites: list[str], layers: list[int], words: list[str]) -> None:
    """`options` are the model's, empty if not set; `sites` are read beside those that the configuration names."""
    config = configuration(configfiles(words))
    name = name or OTHERS.sub("-", Path(model).absolute().name).strip(".-_")[:64]
    path = FOLDER / f"{name}.safetensors"
    check_name(name, path, config["models"])
    cells = [*dict.fromkeys((TARGETS.format_map(cell), PAIRS.format_map(cell)) for cell in probes.cells(config))]
    if not cells:
        raise ExamError("revprag.cells: found none, expected data sets, retrievers and attacks whose prompts are asked")
    entry = {"model": model, "options": {key: value for key, value in options.items() if value}}
    decoder = Decoder(f"model {name}", entry)
    layers = layers or spread(decoder.config.num_hidden_layers)
    wanted = [file for cell in cells for file in cell]
    if status := status_of(snakemake(*dict.fromkeys(wanted), *words)):
        sys.exit(status)
    answering = defences.answering(config)
    closed_book = shipped("resources/prompts/answer_closed_book.yaml")
    prompts = PromptPair.load(defended.prompt(config), closed_book, answering["in_lines"])
    readings = read(probes.readings(config), sites, layers)
    recorder = Recorder(
        name, entry, prompts, answering["sampling"], readings, "embeddings", str(Path("ledger/exam", name))
    )
    with _logged():
        recorder.record(path, cells)
    write_text(path.with_suffix(".yaml"), settings(config, name, path))
    command = run_command("revprag", "--configfile", str(path.with_suffix(".yaml")))
    sys.stdout.write(f"exam: {path}, {path.stat().st_size / 1e6:.1f} MB; next: {command}\n")


def check_name(name: str, path: Path, models: dict) -> None:
    """Raises ExamError unless `models` can have this name for the recording."""
    pattern = schema.merged()["properties"]["models"]["propertyNames"]["pattern"]
    if not re.search(pattern, name):
        raise ExamError(f"--name: found {name!r}, expected a name that fits {pattern}; give one with --name NAME")
    entry = models.get(name)
    if entry and (entry["provider"], entry["model"]) != (PROVIDER, str(path)):
        raise ExamError(f"--name: found {name!r}, which `models` already has; give another with --name NAME")


def spread(blocks: int) -> list[int]:
    """Some layers from the first quarter to the last block."""
    return sorted({max(1, round(blocks * part / LAYERS)) for part in range(1, LAYERS + 1)})


def read(readings: list[dict], sites: list[str], layers: list[int]) -> list[dict]:
    """What the configuration reads, and further sites at the same token, all at these layers."""
    base = readings[0]
    more = [{"site": site, "position": base["position"]} for site in dict.fromkeys(sites)]
    places = [(each["site"], each["position"]) for each in readings]
    more = [each for each in more if (each["site"], each["position"]) not in places]
    return [each | {"layers": layers} for each in (*readings, *more)]


def settings(config: dict, name: str, path: Path) -> str:
    """A configuration file by which a run has it as one more responder, beside those that it has."""
    cells = [{key: value for key, value in entry.items() if value is not None} for entry in config["revprag"]["cells"]]
    more = [entry | {"responders": [name]} for entry in cells if name not in entry["responders"]]
    entry = {"provider": PROVIDER, "model": str(path)}
    content = {"models": {name: entry}, "revprag": {"cells": [*cells, *more]}}
    content = json.loads(json.dumps(content))  # so that no list is an alias of another
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)


@contextlib.contextmanager
def _logged():
    """What is logged goes to the terminal meanwhile."""
    handler, level = logging.StreamHandler(sys.stderr), log.level
    handler.setFormatter(logging.Formatter("exam: %(message)s"))
    log.setLevel(logging.INFO)
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)

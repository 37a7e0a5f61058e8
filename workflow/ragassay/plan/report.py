"""Settings of the report. A rule file registers its sections in SECTIONS: name -> an entry with `page`, on which it
stands if that is not its own; `metrics`, the section whose metrics it describes if not its own; `examples`, a file;
`shown`, if there may be nothing to show."""

import json
import math
import os
import re
from pathlib import Path

from ragassay.base.errors import unknown
from ragassay.base.pipeline import SETTINGS, run_command, shipped, study_command
from ragassay.config.settings import NAME, ConfigError
from ragassay.plan.models import shown


def places(config: dict, files: list[str]) -> dict[str, str]:
    """Where the report lies, and its name: each configuration that is laid over the default one has its own, named by
    `report.name` or by its first file.
    """
    name = config["report"]["name"]
    if name is None:
        over = laid_over(files)
        name = Path(over[0]).stem if over else ""
        if name and not re.fullmatch(NAME, name):
            expected = "expected a name for its report of letters, digits, '.', '_' and '-'; set report.name"
            raise ConfigError(f"{over[0]}: found the file's name {name!r}, {expected}")
    return {"report": f"results/report/{name}" if name else "results/report", "name": name or "default"}


def sections(config: dict, registered: dict) -> list[str]:
    """The sections in their order: those that the configuration names, each with those that describe more of its
    metrics, or all that there is something to show of.
    """
    named = config["report"]["sections"] or registered
    for name in named:
        if name not in registered:
            raise ConfigError(f"report.sections: {unknown('section', name, registered)}")
    more = {name: [other for other in registered if registered[other].get("metrics") == name] for name in named}
    every = dict.fromkeys(section for name in named for section in (name, *more[name]))
    return [name for name in every if registered[name].get("shown", True)]


def shows(config: dict, *names: str) -> bool:
    """Whether the report is about one of these sections."""
    shown = config["report"]["sections"]
    return not shown or not {*names}.isdisjoint(shown)


def draws(config: dict, section: str) -> dict:
    """How often documents are resampled for the intervals of a section, and the seed of the draws."""
    intervals = config["intervals"]
    return {"resamples": intervals["sections"].get(section, intervals["resamples"]), "seed": intervals["seed"]}


def page_of(sections: list[str], registered: dict) -> dict[str, str]:
    """section -> the page that it stands on: the one that its rule file names, or one of its own. Where the one that
    heads a page is not shown, the page bears the name of the first that is.
    """
    heads = {}
    for name in sections:
        page = registered[name].get("page", name)
        heads.setdefault(page, page if page in sections else name)
    return {name: heads[registered[name].get("page", name)] for name in sections}


def page_inputs(pages: dict[str, str], registered: dict, recalls: dict) -> dict[str, dict]:
    """page -> what it is rendered from, by the sections that stand on it, the one that heads it first. `recalls` names
    the tables of indexes that the numbers of a section rest on.
    """
    inputs = {}
    for head in dict.fromkeys(pages.values()):
        names = [name for name, page in pages.items() if page == head]
        ordered = sorted(names, key=lambda name: name != head)
        inputs[head] = {
            "metrics": all_metrics(ordered, registered),
            "sections": shipped([f"workflow/report/sections/{name}.yaml" for name in ordered]),
            "figures": [f"<report>/figures/{name}" for name in ordered],
            "examples": [registered[name]["examples"] for name in names if "examples" in registered[name]],
            "index_recall": list(dict.fromkeys(path for name in names for path in recalls.get(name, ()))),
        }
    return inputs


def metrics(wildcards, registered: dict) -> str:
    """The metrics that a section describes: its own, or those of the section that it names."""
    return all_metrics([wildcards.section], registered)[0]


def all_metrics(sections: list[str], registered: dict) -> list[str]:
    return [f"results/metrics/{registered[name].get('metrics', name)}.parquet" for name in sections]


def render_page(config: dict, explorers: dict, files: list, recalls: dict) -> dict:
    notes = {name: note for name in config["models"] if (note := model_note(config, name))}
    return _of_all_pages(config, explorers, files) | {"notes": notes, "recalls": recalls}


def render_front(config: dict, explorers: dict, files: list, recalls: dict) -> dict:
    return _of_all_pages(config, explorers, files) | {"config": shown(config), "recalls": recalls}


def _of_all_pages(config, explorers, files):
    settings = {"title": config["report"]["title"], "links": explorers, "missing": []}
    return settings | {"models": models(config), "command": command(files)}


def models(config: dict) -> dict[str, str]:
    """What each model and encoder is."""
    asked = {name: f"{entry['model']}, by {entry['provider']}" for name, entry in config["models"].items()}
    return {name: entry["model"] for name, entry in config["encoders"].items()} | asked


def command(files: list) -> str:
    """What makes the report of the configuration in these files."""
    over = ["--configfile", *map(os.path.relpath, files)] if (files := laid_over(files)) else []
    return run_command(*over) if over else study_command()


def laid_over(files: list) -> list:
    """The files without the project's own configuration."""
    return [file for file in files if str(file) not in SETTINGS]


def model_note(config: dict, name: str) -> str:
    """What a reader has to know who sees this model's numbers; its parameters are counted."""
    entry = config["models"][name]
    if not entry["note"]:
        return ""
    files = sorted(Path(entry["model"]).glob("*.safetensors")) if Path(entry["model"]).is_dir() else []
    count = sum(map(parameters, files))
    return f"{name} is {entry['note']}" + (f" It has {count / 1e6:.1f} million parameters." if count else "")


def parameters(file: Path) -> int:
    """How many numbers a file of weights holds, by its header."""
    with file.open("rb") as content:
        header = json.loads(content.read(int.from_bytes(content.read(8), "little")))
    return sum(math.prod(entry["shape"]) for name, entry in header.items() if name != "__metadata__")

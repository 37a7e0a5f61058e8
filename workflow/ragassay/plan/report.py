"""Settings of the report: the sections that the configuration asks for, and how they are shown."""

import json
import math
from pathlib import Path

from ragassay.base.errors import unknown
from ragassay.config.settings import ConfigError
from ragassay.plan.models import shown


def sections(config: dict, registered: dict) -> list[str]:
    """The sections in their order: those that the configuration names, or all that there is something to show of."""
    named = config["report"]["sections"] or registered
    for name in named:
        if name not in registered:
            raise ConfigError(f"report.sections: {unknown('section', name, registered)}")
    return [name for name in named if registered[name].get("shown", True)]


def draws(config: dict, section: str) -> dict:
    """How often documents are resampled for the intervals of a section, and the seed of the draws."""
    intervals = config["intervals"]
    return {"resamples": intervals["sections"].get(section, intervals["resamples"]), "seed": intervals["seed"]}


def render_report(config: dict, explorers: dict) -> dict:
    params = {"title": config["report"]["title"], "config": shown(config), "pages": explorers}
    return params | {"notes": {name: note for name in config["models"] if (note := model_note(config, name))}}


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

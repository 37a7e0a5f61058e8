"""What a guard server has fitted: a gate, a guard, a screen and a probe, as far as the configuration names them, opened
together and warm. A new fit is a new object, so that requests that are under way end with the old one.
"""

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from ragassay.base import fitted_files
from ragassay.base.errors import AssayError
from ragassay.services.gate import Gate
from ragassay.services.guard import Guard
from ragassay.services.probe import Probe
from ragassay.services.screen import Screen

NAMES = GATE, GUARD, SCREEN, PROBE = "gate", "guard", "screen", "probe"


class ServerError(AssayError):
    """The server cannot start, or cannot be asked this."""


@dataclass(frozen=True)
class Fits:
    gate: Gate | None
    guard: Guard | None
    screen: Screen | None
    probe: Probe | None
    version: str  # of the files that describe them

    @classmethod
    def load(cls, settings: dict[str, Any]) -> Self:
        """From the configuration's `guard_server`."""
        guard, screen, probe = settings[GUARD], settings[SCREEN], settings[PROBE]
        scorer = guard["scorer"] or None
        cards = [Path(settings[GATE], "gate.json")] if settings[GATE] else []
        cards += [Path(guard["file"])] if guard["file"] else []
        cards += [Path(probe["folder"], "card.json")] if probe["folder"] else []
        if not cards:
            raise ServerError("guard_server: found no gate, no guard and no probe, expected one of them to serve")
        opened = {
            GATE: Gate.load(settings[GATE]).warm_up() if settings[GATE] else None,
            GUARD: Guard.load(guard["file"], scorer).warm_up() if guard["file"] else None,
            SCREEN: None,
            PROBE: Probe.load(probe["folder"], probe["name"], probe["condition"]) if probe["folder"] else None,
        }
        if screen["use"]:
            vectors = [_array(screen[name]) if screen[name] else () for name in ("queries", "clean")]
            opened[SCREEN] = Screen.load(guard["file"], scorer, *vectors).warm_up()
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in cards)).hexdigest()
        return cls(**opened, version=digest[:12])

    def names(self) -> list[str]:
        return [name for name in NAMES if getattr(self, name) is not None]

    def ask(self, name: str, body: dict[str, Any]) -> list[dict[str, Any]]:
        """What one of them says, one entry for each query, text or generation."""
        tool = getattr(self, name)
        if tool is None:
            raise ServerError(f"{name}: this server has none, expected one of {', '.join(self.names())}")
        if name == GATE:
            return [asdict(decision) for decision in tool(body["queries"])]
        if name == PROBE:
            return [asdict(verdict) for verdict in tool.judge(body["states"])]
        judgements = tool(**body)
        return [judgement.row() for judgement in judgements]


def _array(path):
    with fitted_files.reading(lambda problem: ServerError(f"{path}: {problem}; expected vectors in a .npy file")):
        return np.array(fitted_files.array(path))

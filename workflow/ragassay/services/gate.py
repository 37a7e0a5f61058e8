"""Is this query inside what the corpus knows? A gate answers while people wait:

    from ragassay.services.gate import Gate

    gate = Gate.load("results/gates/articles/minilm")
    decision = gate("Who keeps the lighthouse?")

The decision has a p-value, the nearest passages, and what to do: `answer` from these passages, or the strategy that the
gate was fitted with. Of in-knowledge queries, at most a share alpha is taken for out-of-knowledge ones, on average
over the queries that could have calibrated the gate. Given a list, it decides all queries together, which is faster.

A gate is loaded in no time: files are opened and the encoder is loaded with the first query. It may be shared by
threads. It needs nothing but its folder, which can be copied anywhere, and the weights of the encoder that it was
fitted with. The folder holds:

    gate.json               how it was fitted, what it does, and the size and digest of each other file
    passage_ids.json        the ids of the passages, in the order of the arrays
    calibration.npy         the statistic of in-knowledge queries
    {retriever}.npy         vectors of passages as they are compared, in float32, so that a product reads them as they
                            lie on disk: mapped into memory, shared by all processes, and never converted
    {retriever}.safetensors, {retriever}.words.json    BM25's weights, and its words

`gate.json` is written last: a folder without it is no gate.
"""

import functools
import hashlib
import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ragassay.base.atomic import write_text
from ragassay.base.errors import AssayError, closest_file
from ragassay.studies.relevance import calibration
from ragassay.studies.relevance.statistics import FUSED, Setting, standardized

ANSWER = "answer"
# The paper's appendix A.2: refuse, ask the model without passages, search the web or another corpus, call somebody.
STRATEGIES = REJECT, DIRECTLY, WIDER, PERSON = "reject", "answer_directly", "search_wider", "ask_person"
FORMAT = 1
CARD = "gate.json"
AGAIN = "fit the gate again, or copy its whole folder"


class GateError(AssayError):
    """A gate cannot be used, or cannot be asked this."""


@dataclass(frozen=True)
class Decision:
    """What a gate says of a query."""

    query: str
    value: float  # of the statistic, higher = more out of knowledge
    p_value: float
    in_knowledge: bool
    action: str  # `answer`, or the gate's strategy
    passages: list[str]  # the ids of the nearest, best first
    scores: list[float]


class Measured(NamedTuple):
    """The same as arrays, for many queries."""

    values: np.ndarray
    p_values: np.ndarray
    rejected: np.ndarray
    passages: list[list[str]]
    scores: list[list[float]]


class Gate:
    """`load` opens one; call it with a query or a list of queries."""

    @classmethod
    def load(cls, folder, model: str | None = None) -> "Gate":
        """`model` is a folder with the encoder's weights, if they lie elsewhere on this machine."""
        return cls(folder, read_card(folder), model)

    def __init__(self, folder, about: dict, model: str | None):
        self.folder, self.about = folder, about
        self._model, self._opened, self._lock = model, None, threading.Lock()

    @property
    def alpha(self) -> float:
        return self.about["alpha"]

    @property
    def strategy(self) -> str:
        return self.about["strategy"]

    @functools.cached_property
    def calibration(self) -> np.ndarray:
        """The statistic of the in-knowledge queries that p-values compare with, ascending."""
        return known_values(self.folder, self.about)

    def __call__(self, queries: str | list[str]) -> Decision | list[Decision]:
        texts = [queries] if isinstance(queries, str) else list(queries)
        found = self.measure(texts)
        decisions = [
            Decision(text, float(value), float(p), not out, self.strategy if out else ANSWER, passages, scores)
            for text, value, p, out, passages, scores in zip(texts, *found, strict=True)
        ]
        return decisions[0] if isinstance(queries, str) else decisions

    def measure(self, texts: list[str]) -> Measured:
        """Whatever a decision is made from."""
        for number, text in enumerate(texts, 1):
            if not isinstance(text, str) or not text.strip():
                raise GateError(f"{self.folder}: found {text!r} as query {number} of {len(texts)}, expected a text")
        searchers, ids = self._files()
        known = self.calibration
        own, shown = self.about["statistic"], self.about["passages"]
        setting = Setting(own["name"], 1 if own["name"] == FUSED else own["k"], own["temperature"])
        found = []  # positions and scores by each searcher
        for searcher in searchers:
            found.append(searcher.search(texts, setting.k if found else max(setting.k, shown)))
        if own["name"] == FUSED:
            values = standardized(own["units"], [scores for _, scores in found])
        else:
            values = setting.of(found[0][1])
        places, scores = (part[:, :shown] for part in found[0])
        return Measured(
            values,
            calibration.p_values(known, values),
            calibration.rejected(known, values, self.alpha),
            [[ids[at] for at in row if at >= 0] for row in places],
            [row[at >= 0].tolist() for row, at in zip(scores, places, strict=True)],
        )

    def _files(self):
        """Searchers and the ids of passages; opened once."""
        with self._lock:
            if self._opened is None:
                from ragassay.services import searchers

                about = self.about
                opened = [searchers.opened(self.folder, name, about, self._model) for name in about["order"]]
                ids = json.loads(checked(self.folder, "passage_ids.json", about).read_text(encoding="utf-8"))
                self._opened = opened, ids
            return self._opened


def known_values(folder, about: dict) -> np.ndarray:
    """The statistic of the in-knowledge queries that calibrate a gate, ascending."""
    return np.load(checked(folder, "calibration.npy", about), allow_pickle=False)


def write_card(folder, about: dict) -> None:
    """Describe a gate whose other files are written."""
    folder = Path(folder)
    others = sorted(path for path in folder.iterdir() if path.name != CARD and not path.name.startswith("."))
    files = {path.name: {"bytes": path.stat().st_size, "sha256": digest(path)} for path in others}
    write_text(folder / CARD, json.dumps({"format": FORMAT, **about, "files": files}, indent=1, sort_keys=True) + "\n")


def read_card(folder) -> dict:
    """What describes a gate, if all its files are there in their sizes."""
    path = Path(folder, CARD)
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        version, files = about["format"], about.get("files", {})
    except OSError as error:
        hint = closest_file(Path(folder)) if not Path(folder).exists() else ""
        raise GateError(f"{path}: cannot read it ({error.strerror}), expected a fitted gate{hint}; {AGAIN}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise GateError(f"{path}: found no description of a gate ({error!r}); {AGAIN}") from error
    if version != FORMAT:
        raise GateError(
            f"{path}: found a gate of format {version}, expected {FORMAT}; fit it again with this version of ragassay"
        )
    for name, known in files.items():
        file = Path(folder, name)
        if not file.is_file():
            raise GateError(f"{file}: no such file, expected one of {known['bytes']} bytes; {AGAIN}")
        if file.stat().st_size != known["bytes"]:
            raise GateError(f"{file}: found {file.stat().st_size} bytes, expected {known['bytes']}; {AGAIN}")
    return about


def checked(folder, name: str, about: dict) -> Path:
    """One of the files, if it is what it was when the gate was fitted."""
    path = Path(folder, name)
    if digest(path) != about["files"][name]["sha256"]:
        raise GateError(f"{path}: found other content than when the gate was fitted; {AGAIN}")
    return path


def digest(path) -> str:
    with Path(path).open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()

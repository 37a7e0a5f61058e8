"""Is this query inside what the corpus knows? A gate answers while people wait:

    from ragassay import Gate

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
import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ragassay.base import card
from ragassay.base.errors import AssayError
from ragassay.base.terminal import shown
from ragassay.studies.relevance import calibration
from ragassay.studies.relevance.statistics import FUSED, Setting, standardized

ANSWER = "answer"
# The paper's appendix A.2: refuse, ask the model without passages, search the web or another corpus, call somebody.
STRATEGIES = REJECT, DIRECTLY, WIDER, PERSON = "reject", "answer_directly", "search_wider", "ask_person"
CARD = "gate.json"
AGAIN = "fit the gate again, or copy its whole folder"


class GateError(AssayError):
    """A gate cannot be used, or cannot be asked this."""


def _is_statistic(value) -> str:
    if not isinstance(value, dict) or not {"name", "k", "temperature"} <= value.keys():
        return f"found {shown(value)}, expected a statistic with its settings"
    if value["name"] != FUSED:
        is_right = type(value["k"]) is int and value["k"] > 0 and card.is_number(value["temperature"])
        return "" if is_right and value["temperature"] > 0 else f"found {shown(value)}, expected k and a temperature"
    units = value.get("units")
    pairs = units if isinstance(units, list) and units else [None]
    is_right = all(isinstance(pair, list) and len(pair) == 2 and all(map(card.is_number, pair)) for pair in pairs)
    return (
        "" if is_right and min(spread for _, spread in pairs) > 0 else f"found units {shown(units)}, expected spreads"
    )


def _are_searchers(value) -> bool:
    for about in value.values() if isinstance(value, dict) else [None]:
        kind = about.get("kind") if isinstance(about, dict) else None
        encoder = about.get("encoder") if kind == "dense" else {"name": "", "kind": "", "model": ""}
        if kind not in ("dense", "bm25") or not isinstance(encoder, dict):
            return False
        if not {"name", "kind", "model"} <= encoder.keys():
            return False
    return True


FORM = card.Form(
    "gate",
    1,
    {
        "alpha": card.between(0, 1),
        "strategy": card.expected(f"one of {', '.join(STRATEGIES)}", lambda value: value in STRATEGIES),
        "statistic": _is_statistic,
        "passages": card.positive("a number of passages"),
        "order": card.expected("names of searchers", lambda value: card.is_list(value, str)),
        "searchers": card.expected("searchers with their encoders", _are_searchers),
    },
    AGAIN,
    GateError,
)


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
    """Decisions on many queries, as arrays."""

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
        about = read_card(folder)
        gate = cls(folder, about, model)
        if len(gate.calibration) < calibration.fewest_for(gate.alpha):
            raise GateError(
                f"{folder}: found {len(gate.calibration)} queries that calibrate alpha {gate.alpha}; {AGAIN}"
            )
        return gate

    def __init__(self, folder, about: dict, model: str | None):
        self.folder, self.about = folder, about
        self.alpha, self.strategy = about["alpha"], about["strategy"]
        self._model, self._opened, self._lock = model, None, threading.Lock()

    @functools.cached_property
    def calibration(self) -> np.ndarray:
        """The statistic of the in-knowledge queries that p-values compare with, ascending."""
        return known_values(self.folder, self.about)

    def __call__(self, queries: str | list[str]) -> Decision | list[Decision]:
        texts = [queries] if isinstance(queries, str) else list(queries)
        measured = self.measure(texts)
        decisions = [
            Decision(text, float(value), float(p), not out, self.strategy if out else ANSWER, passages, scores)
            for text, value, p, out, passages, scores in zip(texts, *measured, strict=True)
        ]
        return decisions[0] if isinstance(queries, str) else decisions

    def measure(self, texts: list[str]) -> Measured:
        """Whatever a decision is made from."""
        for number, text in enumerate(texts, 1):
            if not isinstance(text, str) or not text.strip():
                raise GateError(f"{self.folder}: found {text!r} as query {number} of {len(texts)}, expected a text")
        searchers, ids = self._files()
        statistic, most = self.about["statistic"], self.about["passages"]
        is_fused = statistic["name"] == FUSED
        setting = Setting(statistic["name"], 1 if is_fused else statistic["k"], statistic["temperature"])
        results = []  # positions and scores by each searcher
        for searcher in searchers:
            results.append(searcher.search(texts, setting.k if results else max(setting.k, most)))
        if is_fused:
            values = standardized(statistic["units"], [scores for _, scores in results])
        else:
            values = setting.of(results[0][1])
        places, scores = (part[:, :most] for part in results[0])
        return Measured(
            values,
            calibration.p_values(self.calibration, values),
            calibration.rejected(self.calibration, values, self.alpha),
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
                if any(searcher.passages != len(ids) for searcher in opened):
                    counts = f"{len(ids)} ids and {', '.join(str(searcher.passages) for searcher in opened)} passages"
                    raise GateError(f"{self.folder}: found {counts}, expected one id for each; {AGAIN}")
                self._opened = opened, ids
            return self._opened


def known_values(folder, about: dict) -> np.ndarray:
    """The statistic of the in-knowledge queries that calibrate a gate, ascending."""
    path = checked(folder, "calibration.npy", about)
    try:
        values = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise GateError(f"{path}: cannot read it ({error}); {AGAIN}") from error
    if values.ndim != 1 or values.dtype.kind != "f" or card.ascending(values.tolist()):
        raise GateError(f"{path}: found no finite numbers in ascending order, so the gate is damaged; {AGAIN}")
    return values


def write_card(folder, about: dict) -> None:
    """Describe a gate whose other files are written."""
    others = [path.name for path in Path(folder).iterdir() if path.name != CARD and not path.name.startswith(".")]
    card.write(Path(folder, CARD), FORM, about, others)


def read_card(folder) -> dict:
    """What describes a gate, if all its files are there in their sizes."""
    path = Path(folder, CARD)
    about = card.read(path, FORM)
    if missing := [name for name in about["order"] if name not in about["searchers"]]:
        raise GateError(f"{path}: found no searcher {missing[0]!r}, so the gate is damaged; {AGAIN}")
    if about["statistic"]["name"] == FUSED and len(about["statistic"]["units"]) != len(about["order"]):
        raise GateError(f"{path}: found units for another number of searchers, so the gate is damaged; {AGAIN}")
    return about


def checked(folder, name: str, about: dict) -> Path:
    """One of the files, if it is what it was when the gate was fitted."""
    return card.checked(Path(folder, CARD), about, FORM, name)

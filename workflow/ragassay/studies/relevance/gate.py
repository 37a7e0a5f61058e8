"""Is this query inside what the corpus knows? A gate answers while people wait:

    from ragassay.studies.relevance.gate import Gate

    gate = Gate.load("results/gates/articles/minilm")
    decision = gate("Who keeps the lighthouse?")

The decision has a p-value, the nearest passages, and what to do: `answer` from these passages, or the strategy that the
gate was fitted with. Of in-knowledge queries, at most a share alpha is taken for out-of-knowledge ones, on average
over the queries that could have calibrated the gate. Given a list, it decides all queries together, which is faster.

A gate is loaded in no time: files are opened and the encoder is loaded with the first query. It may be shared by
threads. It needs nothing but its folder and the weights of the encoder that it was fitted with.
"""

import functools
import json
import threading
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ragassay.studies.relevance import calibration
from ragassay.studies.relevance.choice import Setting
from ragassay.studies.relevance.gate_files import GateError, checked, known_values, read_card
from ragassay.studies.relevance.standard_units import standardized

ANSWER = "answer"
# The paper's appendix A.2: refuse, ask the model without passages, search the web or another corpus, call somebody.
STRATEGIES = REJECT, DIRECTLY, WIDER, PERSON = "reject", "answer_directly", "search_wider", "ask_person"
FUSED = "fused"


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
                from ragassay.studies.relevance import searchers

                about = self.about
                opened = [searchers.opened(self.folder, name, about, self._model) for name in about["order"]]
                ids = json.loads(checked(self.folder, "passage_ids.json", about).read_text(encoding="utf-8"))
                self._opened = opened, ids
            return self._opened

"""Is this query inside what the corpus knows? A gate answers while people wait:

    from ragassay import Gate

    gate = Gate.load("results/gates/articles/minilm")
    decision = gate("Who keeps the lighthouse?")

The decision has a p-value, the nearest passages, and what to do: `answer` from these passages, or the strategy that the
gate was fitted with. Of in-knowledge queries, at most a share alpha is taken for out-of-knowledge ones: on average over
the queries that could have calibrated the gate or, if it was fitted with a confidence, by this gate with that
confidence; `gate.about["false_alarms"]` has both rates. Given a list, it decides all queries together, which is faster.

`load` opens and checks all files (see `ragassay.services.gate_files`). The encoder's weights are loaded with the first
query, or by `warm_up`. A gate may be shared by threads. It needs nothing but its folder, which can be copied anywhere,
and the weights of the encoder that it was fitted with, or a function of the service that gives the same vectors.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple, Self, overload

import numpy as np
from numpy.typing import ArrayLike

from ragassay.services import gate_files
from ragassay.services.gate_files import AGAIN, CALIBRATION, READER, GateError
from ragassay.studies.relevance import calibration
from ragassay.studies.relevance.statistics import FUSED, TOGETHER, by_description, with_reader

ANSWER = "answer"
WARM = "Is anybody there?"  # a query that means nothing
Embed = Callable[[list[str]], ArrayLike]  # the vectors of queries, one row each
Reader = Callable[[str, list[str]], float]  # how well passages, given by their ids, answer a query, from 0 to 1


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
    def load(
        cls,
        folder: str | Path,
        model: str | Path | None = None,
        embed: Embed | Mapping[str, Embed] | None = None,
        reader: Reader | None = None,
    ) -> Self:
        """`model` is a folder with the encoder's weights, if they lie elsewhere on this machine. `embed` is a function
        of the service that takes a list of queries and gives their vectors; then no weights are needed. It is tried
        on one sentence, whose vector the gate knows. A gate with several encoders takes a function for each retriever.
        `reader` is asked about each query, as the model was that `relevance.gate.reader` names; without one, the gate
        decides by similarities alone.
        """
        return cls(Path(folder), gate_files.read_card(folder), model, embed, reader)

    def __init__(
        self,
        folder: Path,
        about: dict[str, Any],
        model: str | Path | None = None,
        embed: Embed | Mapping[str, Embed] | None = None,
        reader: Reader | None = None,
    ):
        from ragassay.services import searchers  # loads scipy, which few who import this need

        self.folder, self.about, self._reader = folder, about, reader
        if reader and "reader" not in about:
            problem = "found a reader for a gate that was calibrated without one"
            raise GateError(f"{folder}: {problem}; set relevance.gate.reader and fit the gate again, or leave it out")
        self.alpha: float = about["alpha"]
        self.strategy: str = about["strategy"]
        self._ids = gate_files.passage_ids(folder, about)
        self._searchers = searchers.opened(folder, about, model, embed)
        counts = {searcher.passages for searcher in self._searchers}
        if counts != {len(self._ids)}:
            sizes = f"{len(self._ids)} ids and {', '.join(map(str, sorted(counts)))} passages"
            raise GateError(f"{folder}: found {sizes}, expected one id for each; {AGAIN}")
        if about["statistic"]["k"] > len(self._ids):
            sizes = f"{len(self._ids)} passages and k = {about['statistic']['k']}"
            raise GateError(f"{folder}: found {sizes}, expected at least k passages; {AGAIN}")
        _ = self.calibration

    @functools.cached_property
    def calibration(self) -> np.ndarray:
        """The statistic of the in-knowledge queries that p-values compare with, ascending."""
        return gate_files.known_values(self.folder, self.about, READER if self._reader else CALIBRATION)

    def warm_up(self) -> Self:
        """Load what the first query needs, such as the encoder's weights, before anybody waits for it."""
        self.measure([WARM])
        return self

    @overload
    def __call__(self, queries: str) -> Decision: ...
    @overload
    def __call__(self, queries: list[str] | tuple[str, ...]) -> list[Decision]: ...
    def __call__(self, queries: str | list[str] | tuple[str, ...]) -> Decision | list[Decision]:
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
        statistic, most = self.about["statistic"], self.about["passages"]
        read = self.about["reader"]["passages"] if self._reader else 0
        depth = 1 if statistic["name"] == FUSED else statistic["k"]
        results: list[tuple[np.ndarray, np.ndarray]] = []  # positions and scores by each searcher
        for searcher in self._searchers if statistic["name"] in TOGETHER else self._searchers[:1]:
            results.append(searcher.search(texts, depth if results else max(depth, most, read)))
        values = by_description(statistic, [scores for _, scores in results])
        if self._reader:
            asked = [self._asked_reader(text, row[:read]) for text, row in zip(texts, results[0][0], strict=True)]
            values = with_reader(values, 1 - np.array(asked, float), self.about["reader"]["units"])
        places, scores = (part[:, :most] for part in results[0])
        return Measured(
            values,
            calibration.p_values(self.calibration, values),
            calibration.rejected(self.calibration, values, self.alpha, confidence=self.about["confidence"]),
            [self._named(row) for row in places],
            [row[at >= 0].tolist() for row, at in zip(scores, places, strict=True)],
        )

    def _named(self, places):
        return [self._ids[at] for at in places if at >= 0]

    def _asked_reader(self, query, places):
        relevance = self._reader(query, self._named(places))
        if isinstance(relevance, bool) or not isinstance(relevance, Real) or not 0 <= relevance <= 1:
            problem = f"the reader gave {relevance!r} for the query {query[:80]!r}, expected a number from 0 to 1"
            raise GateError(f"{self.folder}: {problem}; decide yourself what a query without one deserves")
        return relevance

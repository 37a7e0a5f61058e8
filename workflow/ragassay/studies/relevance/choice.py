"""Which statistic, k and temperature to take, without any out-of-knowledge query.

Each in-knowledge query is compared with itself as if its own documents were not in the corpus: the best statistic tells
these two apart best. That ranks statistics as real out-of-knowledge queries of the same style do.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ragassay.metrics.auroc import auroc
from ragassay.studies.relevance.statistics import SIMPLE, TEMPERED, statistic


class Setting(NamedTuple):
    statistic: str
    k: int
    temperature: float

    def of(self, scores: np.ndarray) -> np.ndarray:
        """The statistic of these similarities, queries x at least k."""
        return statistic(self.statistic, scores[:, : self.k], self.temperature)


def settings(ks: list[int], temperatures: list[float]) -> Iterator[Setting]:
    """All that can be chosen; where k or the temperature changes nothing, once."""
    for name in SIMPLE:
        for k in ks[:1] if name == "mss" else ks:
            for temperature in temperatures if name in TEMPERED else (1.0,):
                yield Setting(name, k, temperature)


def masked_aurocs(scores: np.ndarray, masked: np.ndarray, candidates: list[Setting]) -> list[float | None]:
    """How well each setting tells queries from themselves without their own documents."""
    unknown = np.repeat([False, True], [len(scores), len(masked)])
    return [auroc(np.concatenate([own.of(scores), own.of(masked)]), unknown) for own in candidates]


def best(scores: np.ndarray, masked: np.ndarray, candidates: list[Setting]) -> Setting:
    """The setting that does best; of equals, the first."""
    return candidates[int(np.argmax(masked_aurocs(scores, masked, candidates)))]

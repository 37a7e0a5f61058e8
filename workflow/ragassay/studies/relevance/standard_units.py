"""Similarities by several retrievers in common units, so that they can be added up."""

import numpy as np

from ragassay.studies.relevance.statistics import mss


def units(known: np.ndarray) -> tuple[float, float]:
    """The mean and the spread of the MSS of queries, by one retriever."""
    return float(mss(known).mean()), float(mss(known).std() or 1.0)


def standardized(units: list[tuple[float, float]], asked: list[np.ndarray]) -> np.ndarray:
    """The sum over retrievers of the MSS in these units; `asked` has queries x k scores by each of them."""
    found = np.zeros(len(asked[0]))
    for (mean, spread), scores in zip(units, asked, strict=True):
        found += (mss(scores) - mean) / spread
    return found

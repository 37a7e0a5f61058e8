"""Rates of many cells at once, with intervals: documents are drawn anew, and all cells see the same draws.

Questions of one document are not independent of each other, so a draw takes or leaves a document with all its
questions. Only sums per document are looked at: how often it was drawn is one row of a matrix, and all cells of all
draws are one product. What is done to the rates of each draw (means over topics, differences, corrections) is for the
callers, since the draws come back as they are.
"""

from collections.abc import Iterator

import numpy as np

from ragassay.metrics.resampling import interval

AT_ONCE = 256  # draws in memory at a time


def sums(owners, values, documents: int) -> np.ndarray:
    """documents x cells: the values, one row per question, added up by document; `owners` are documents by number."""
    found = np.zeros((documents, values.shape[1]))
    np.add.at(found, owners, values)
    return found


def rates(hits, counts) -> np.ndarray:
    """Hits by counts, not a number where nothing was counted."""
    hits, counts = np.asarray(hits, float), np.asarray(counts, float)
    return np.divide(hits, counts, out=np.full(np.broadcast(hits, counts).shape, np.nan), where=counts > 0)


def drawn_rates(hits, counts, times: int, seed: int = 0) -> np.ndarray:
    """draws x cells: the rate of each cell among the documents of each draw; both arguments are documents x cells."""
    found = [rates(weights @ hits, weights @ counts) for weights in draws(len(hits), times, seed)]
    return np.concatenate(found) if found else np.empty((0, hits.shape[1]))


def draws(documents: int, times: int, seed: int = 0) -> Iterator[np.ndarray]:
    """draws x documents: how often each document was drawn, some draws at a time."""
    random = np.random.default_rng(seed)
    for start in range(0, times, AT_ONCE) if documents else ():
        size = min(AT_ONCE, times - start)
        found = random.integers(0, documents, (size, documents)) + documents * np.arange(size)[:, None]
        yield np.bincount(found.ravel(), minlength=size * documents).reshape(size, documents).astype(float)


def ends(values) -> tuple[float | None, float | None]:
    """The interval of drawn values; draws in which nothing was counted are left out."""
    return interval([float(value) for value in values if not np.isnan(value)])


def mean(owners, values, documents: int, times: int, seed: int = 0) -> dict:
    """value, low, high and n of the mean of values, one per question; `owners` are their documents by number."""
    values = np.asarray(values, float).reshape(-1, 1)
    if not len(values):
        return {"value": None, "low": None, "high": None, "n": 0}
    totals, counts = (sums(owners, part, documents) for part in (values, np.ones_like(values)))
    low, high = ends(drawn_rates(totals, counts, times, seed)[:, 0])
    return {"value": float(values.mean()), "low": low, "high": high, "n": len(values)}

"""Resample documents, not questions: questions of one document are not independent of each other."""

from collections.abc import Iterator

import numpy as np


def resamples(clusters: list, times: int, seed: int = 0) -> Iterator[np.ndarray]:
    """Weights of the items, one vector per resample: how often the document of each was drawn."""
    names, owners = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)
    draw = np.random.default_rng(seed)
    for _ in range(times):
        yield np.bincount(draw.integers(0, len(names), len(names)), minlength=len(names))[owners]


def interval(values, level: float = 0.95) -> tuple[float | None, float | None]:
    """The middle part of the resampled values; values that are not defined are left out."""
    known = [value for value in values if value is not None]
    if not known:
        return None, None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def mean(values: list[float], clusters: list, times: int, seed: int = 0):
    """Mean, number of values, and the interval of the mean; nothing is known of no values."""
    if not values:
        return None, 0, None, None
    values = np.asarray(values, float)
    drawn = (float(np.average(values, weights=weights)) for weights in resamples(clusters, times, seed))
    return float(values.mean()), len(values), *interval(drawn)

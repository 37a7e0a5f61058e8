"""Bootstrap intervals by cluster: clusters are drawn with replacement, each with all its items, because the items of
one cluster (the questions of a document, say) are not independent of each other.
"""

from collections.abc import Iterator

import numpy as np

AT_ONCE = 256  # draws in memory at a time
LEVEL = 0.95


def draws(clusters: int, times: int, seed: int = 0) -> Iterator[np.ndarray]:
    """draws x clusters: how often each cluster was drawn, some draws at a time; always the same for the same seed."""
    random = np.random.default_rng(seed)
    for start in range(0, times, AT_ONCE) if clusters else ():
        size = min(AT_ONCE, times - start)
        drawn = random.integers(0, clusters, (size, clusters))
        drawn += clusters * np.arange(size)[:, None]  # a range of numbers of its own for each draw
        counts = np.bincount(drawn.ravel(), minlength=size * clusters)
        yield counts.reshape(size, clusters).astype(float)


def interval(drawn, level: float = LEVEL) -> tuple[float | None, float | None]:
    """The middle part of resampled values; draws in which nothing was counted (NaN) are ignored."""
    known = np.asarray(drawn, float)
    known = known[~np.isnan(known)]
    if not len(known):
        return None, None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)

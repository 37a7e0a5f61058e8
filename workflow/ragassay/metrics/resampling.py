"""Bootstrap intervals by cluster: clusters are drawn with replacement, each with all its items, because the items of
one cluster (the questions of a document, say) are not independent of each other.

Draws of few clusters vary less than samples of as many do, and a plain percentile interval of 15 documents covers the
truth in 85 to 92 % of cases instead of 95. So `interval` takes wider percentiles the fewer clusters there are, as a t
distribution does. `share_interval` is for rates and other numbers between 0 and 1, which are lopsided near the ends:
Wilson's score interval with as many items as would vary like the draws. Where all items agree there is no variation to
learn from, and each cluster counts as one item.
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


def interval(drawn, clusters: int | None = None, level: float = LEVEL) -> tuple[float | None, float | None]:
    """The middle part of resampled values; draws in which nothing was counted (NaN) are ignored."""
    known = _known(drawn)
    if not len(known) or clusters == 1:
        return None, None
    tail = (1 - level) / 2
    if clusters is not None:
        from scipy.special import ndtr, stdtrit  # many jobs that import this module draw no interval

        tail = float(ndtr(np.sqrt(clusters / (clusters - 1)) * stdtrit(clusters - 1, tail)))
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(low), float(high)


def share_interval(
    value: float, drawn, clusters: int, items: int, level: float = LEVEL
) -> tuple[float | None, float | None]:
    """The same for a number between 0 and 1 that `items` in `clusters` have."""
    known = _known(drawn)
    if not len(known) or clusters < 2 or np.isnan(value):
        return None, None
    from scipy.special import stdtrit

    varies = known.var() * clusters / (clusters - 1)
    spread = value * (1 - value)
    size = clusters if spread <= 0 else min(spread / varies, items) if varies > 0 else items
    squared = stdtrit(clusters - 1, (1 + level) / 2) ** 2
    middle, half = value + squared / size / 2, np.sqrt(squared * (spread / size + squared / size**2 / 4))
    low, high = ((middle + side * half) / (1 + squared / size) for side in (-1, 1))
    return max(0.0, float(low)), min(1.0, float(high))


def _known(drawn):
    known = np.asarray(drawn, float)
    return known[~np.isnan(known)]

"""The exact interval of a rate by Clopper and Pearson: it covers the true rate at least as often as it says, whatever
the number of items. For items that are independent of each other; for those in clusters see `resampling`.
"""

from scipy.special import betaincinv

from ragassay.metrics.resampling import LEVEL


def clopper_pearson(hits: int, count: int, level: float = LEVEL) -> tuple[float | None, float | None]:
    """The interval of a rate of `hits` out of `count`; empty without items."""
    if not count:
        return None, None
    tail = (1 - level) / 2
    low = betaincinv(hits, count - hits + 1, tail) if hits else 0.0
    high = betaincinv(hits + 1, count - hits, 1 - tail) if hits < count else 1.0
    return float(low), float(high)

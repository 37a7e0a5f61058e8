"""Intervals of rates and other numbers, and a rate corrected for the mistakes of its judge (Rogan and Gladen).
Bootstrap intervals draw whole clusters; draws of few clusters vary less than samples do, so `interval` takes wider
percentiles the fewer there are, as a t distribution does. `share_interval` is Wilson's, `difference_interval`
Newcombe's, for numbers of different documents."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

NUMBERS = 2**23  # random numbers in memory at a time
DRAWS = 256  # in memory at a time, at most
LEVEL = 0.95


def draws(clusters: int, times: int, seed: int = 0) -> Iterator[np.ndarray]:
    """draws x clusters: how often each cluster was drawn, some draws at a time; always the same for the same seed."""
    random = np.random.default_rng(seed)
    for size in batches(times, clusters, DRAWS) if clusters else ():
        drawn = random.integers(0, clusters, (size, clusters))
        drawn += clusters * np.arange(size)[:, None]  # a range of numbers of its own for each draw
        counts = np.bincount(drawn.ravel(), minlength=size * clusters)
        yield counts.reshape(size, clusters).astype(float)


def batches(rows: int, columns: int, most: int) -> Iterator[int]:
    """How many of so many rows of random numbers to draw at a time: `most`, or fewer where rows are long. These are
    multiples of four, since the generator fills words with small numbers: so no batch changes what is drawn.
    """
    most = max(4, min(most, NUMBERS // max(columns, 1) // 4 * 4))
    yield from (min(most, rows - start) for start in range(0, rows, most))


def interval(drawn, clusters: int | None = None) -> tuple[float | None, float | None]:
    """The middle part of resampled values; draws in which nothing was counted (NaN) are ignored."""
    defined = _known(drawn)
    if not len(defined) or clusters == 1:
        return None, None
    tail = (1 - LEVEL) / 2
    if clusters is not None:
        from scipy.special import ndtr, stdtrit  # many jobs that import this module draw no interval

        tail = float(ndtr(np.sqrt(clusters / (clusters - 1)) * stdtrit(clusters - 1, tail)))
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)


def share_interval(value: float, drawn, clusters: int, items: int) -> tuple[float | None, float | None]:
    """The same for a number between 0 and 1 that `items` in `clusters` have."""
    defined = _known(drawn)
    if not len(defined) or clusters < 2 or np.isnan(value):
        return None, None
    from scipy.special import stdtrit

    varies = defined.var() * clusters / (clusters - 1)
    spread = value * (1 - value)
    size = clusters if spread <= 0 else min(spread / varies, items) if varies > 0 else items
    squared = stdtrit(clusters - 1, (1 + LEVEL) / 2) ** 2
    middle, half = value + squared / size / 2, np.sqrt(squared * (spread / size + squared / size**2 / 4))
    low, high = ((middle + side * half) / (1 + squared / size) for side in (-1, 1))
    return max(0.0, float(low)), min(1.0, float(high))


def difference_interval(first: dict, second: dict) -> tuple[float, float]:
    """The interval of `first` minus `second`, which are rates of independent clusters, each with `value`, `low` and
    `high`; one without an interval may be anything from 0 to 1.
    """
    (value, low, high), (other, other_low, other_high) = map(_ends, (first, second))
    difference = value - other
    below, above = np.hypot(value - low, other_high - other), np.hypot(high - value, other - other_low)
    return max(-1.0, float(difference - below)), min(1.0, float(difference + above))


def _ends(rate):
    if rate["low"] is None or rate["high"] is None:
        return rate["value"], 0.0, 1.0
    return rate["value"], rate["low"], rate["high"]


def clopper_pearson(hits: int, count: int) -> tuple[float | None, float | None]:
    """The exact interval of a rate of independent items, which covers it in at least 95 % of cases."""
    if not count:
        return None, None
    from scipy.special import betaincinv

    tail = (1 - LEVEL) / 2
    low = betaincinv(hits, count - hits + 1, tail) if hits else 0.0
    high = betaincinv(hits + 1, count - hits, 1 - tail) if hits < count else 1.0
    return float(low), float(high)


class Judge(NamedTuple):
    """How often a judge said yes to gold items of either label."""

    yes_of_yes: int
    yes: int
    no_of_no: int
    no: int

    @property
    def sensitivity(self) -> float | None:
        return self.yes_of_yes / self.yes if self.yes else None

    @property
    def specificity(self) -> float | None:
        return self.no_of_no / self.no if self.no else None


def corrected(rate, sensitivity, specificity):
    """The rate without the judge's mistakes, within 0 and 1; arrays are taken item by item."""
    return np.clip((rate + specificity - 1) / (sensitivity + specificity - 1), 0, 1)


def corrected_rate(rate: float, drawn, judge: Judge, seed: int = 0, clusters: int | None = None):
    """(value, low, high) for a rate and its resampled values, of so many clusters; empty without gold items of both
    kinds, or for a judge no better than chance. The judge's two rates are drawn from their posteriors given the gold
    counts (beta distributions with Jeffreys' prior), so the interval covers the uncertainty of both.
    """
    if not judge.yes or not judge.no or judge.sensitivity + judge.specificity <= 1:
        return None, None, None
    random, drawn = np.random.default_rng(seed), np.asarray(drawn, float)
    hits, misses = judge.yes_of_yes, judge.yes - judge.yes_of_yes
    sensitivity = random.beta(hits + 0.5, misses + 0.5, len(drawn))
    specificity = random.beta(judge.no_of_no + 0.5, judge.no - judge.no_of_no + 0.5, len(drawn))
    usable = ~np.isnan(drawn) & (sensitivity + specificity > 1)
    values = corrected(drawn[usable], sensitivity[usable], specificity[usable])
    return float(corrected(rate, judge.sensitivity, judge.specificity)), *interval(values.tolist(), clusters)


def _known(drawn):
    values = np.asarray(drawn, float)
    return values[~np.isnan(values)]

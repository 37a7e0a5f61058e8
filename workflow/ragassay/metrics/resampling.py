"""Intervals of rates and other numbers, and a rate corrected for the mistakes of its judge (Rogan and Gladen).
Bootstrap intervals weigh whole clusters. How often a draw has a cluster is a Poisson number that follows from the
cluster's name, the draw and the seed alone: the same in every table and process, so that sums of shards add up.
Draws of few clusters vary less than samples do, so `interval` takes wider percentiles the fewer there are, as a t
distribution does. `share_interval` is Wilson's, `difference_interval` Newcombe's, for numbers of different documents.
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ragassay.base import chance

NUMBERS = 2**23  # random numbers in memory at a time
DRAWS = 256  # in memory at a time, at most
LEVEL = 0.95
LANES = 4  # draws from one number of 64 bits
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX = ((np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)), (np.uint64(27), np.uint64(0x94D049BB133111EB)))


def _poisson() -> np.ndarray:
    """A number of 16 bits -> Poisson's with mean 1 at that quantile."""
    probabilities = [math.exp(-1) / math.factorial(number) for number in range(10)]
    return np.searchsorted(np.cumsum(probabilities), (np.arange(2**16) + 0.5) / 2**16).astype(np.uint8)


POISSON = _poisson()


def draws(clusters: Sequence, times: int, seed: int = 0) -> Iterator[np.ndarray]:
    """draws x clusters: how often each of these names was drawn, some draws at a time. The tables of one shard get the
    same draws, which are made once. Many names would take more memory than their draws.
    """
    few = times and len(clusters) * max(times, 64) <= NUMBERS
    yield from _latest(tuple(map(str, clusters)), times, seed) if few else _drawn(clusters, times, seed)


def _drawn(clusters, times, seed):
    for lanes in _lanes("resample", clusters, times, seed):
        yield np.ascontiguousarray(POISSON[lanes])


@lru_cache(maxsize=4, typed=True)
def _latest(*names_and_draws):
    parts = list(_drawn(*names_and_draws))
    for part in parts:
        part.flags.writeable = False
    return parts


def signs(clusters: Sequence, times: int, seed: int = 0) -> Iterator[np.ndarray]:
    """draws x clusters: 1 or -1 for each of these names, in the same way."""
    for lanes in _lanes("sign", clusters, times, seed):
        yield (lanes & 1).astype(np.float32) * 2 - 1


def _lanes(purpose, clusters, times, seed) -> Iterator[np.ndarray]:
    """draws x clusters: numbers of 16 bits, four from each number of splitmix64 (Steele, Lea and Flood, 2014), which a
    hash of the cluster's name starts.
    """
    if not times or not len(clusters):
        return
    states, done = np.fromiter((chance.number(purpose, seed, name) for name in clusters), np.uint64, len(clusters)), 0
    for size in _batches(times, len(states)):
        steps = np.arange(done // LANES + 1, (done + size - 1) // LANES + 2, dtype=np.uint64)
        words = _mixed(states[:, None] + steps * GOLDEN)
        yield words.astype("<u8").view("<u2")[:, :size].T
        done += size


def _mixed(words):
    for shift, factor in MIX:
        words = (words ^ (words >> shift)) * factor
    return words ^ (words >> np.uint64(31))


def _batches(rows: int, columns: int) -> Iterator[int]:
    """How many of so many draws to have in memory at a time: `DRAWS`, or fewer where they are long; whole numbers of
    splitmix64, so that no batch changes a draw.
    """
    most = max(LANES, min(DRAWS, NUMBERS // columns // LANES * LANES))
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

    varies = defined.var()  # as many clusters as Poisson gives make up for how little draws of few vary
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

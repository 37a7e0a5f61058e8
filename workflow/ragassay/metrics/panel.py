"""Methods beside each other on the same items: rates, areas under ROC curves and differences, with their intervals.

A panel holds the items' clusters (a question's document, a passage's query) and nothing else. Everything that it
measures is an array of items x methods: numbers to average, with NaN where a method says nothing about an item, or
scores, higher = more suspicious. Items of one cluster are not independent of each other, so an interval comes from
draws of clusters, with all their items, and every method sees the same draws: the difference of two methods is the
mean of their differences. Whether an abstention counts for or against a method is for `bounds` to show.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ragassay.metrics.paired import sign_flip

AT_ONCE = 256  # draws in memory at a time
LEVEL = 0.95


class Estimates(NamedTuple):
    """One number for each method, NaN where there is nothing to count, and what it is in each draw."""

    values: np.ndarray  # methods
    counts: np.ndarray  # methods: the items that it rests on
    drawn: np.ndarray  # draws x methods

    def row(self, method: int = 0) -> dict:
        """Value, interval and count of one method, as a metric row wants them."""
        low, high = interval(self.drawn[:, method])
        return {"value": _number(self.values[method]), "low": low, "high": high, "n": int(self.counts[method])}


class Panel:
    """`clusters` names the cluster of each item. Without draws (`times` = 0) estimates have no intervals."""

    def __init__(self, clusters, times: int = 0, seed: int = 0):
        names, self.owners = np.unique(np.asarray(clusters, str), return_inverse=True)
        self.clusters, self.times, self.seed = len(names), times, seed

    def mean(self, values) -> Estimates:
        """The mean of the numbers of each method."""
        values = _columns(values)
        known = ~np.isnan(values)
        totals, counts = self.sums(np.where(known, values, 0)), self.sums(known)
        drawn = [_ratio(weights @ totals, weights @ counts) for weights in self.draws()]
        return Estimates(_ratio(totals.sum(axis=0), counts.sum(axis=0)), known.sum(axis=0), _stacked(drawn, values))

    def auroc(self, scores, positive) -> Estimates:
        """How often a positive item scores above a negative one, ties counting half."""
        return self._of_ranks(scores, positive, _area)

    def tpr_at(self, scores, positive, fpr: float) -> Estimates:
        """The largest share of positive items that pass a threshold which at most a share `fpr` of the negative ones
        pass.
        """
        return self._of_ranks(scores, positive, lambda above, below: _tpr(above, below, fpr))

    def p(self, differences, flips: int, seed: int = 0) -> np.ndarray:
        """Two-sided p of each column of differences, by flipping the signs of clusters."""
        differences = _columns(differences)
        return sign_flip(self.sums(np.where(np.isnan(differences), 0, differences)), flips, seed)

    def sums(self, values) -> np.ndarray:
        """clusters x methods: the values of the items added up by cluster."""
        values = _columns(values)
        totals = np.zeros((self.clusters, values.shape[1]))
        np.add.at(totals, self.owners, values)
        return totals

    def draws(self) -> Iterator[np.ndarray]:
        """draws x clusters: how often each cluster was drawn, some draws at a time; always the same ones."""
        random = np.random.default_rng(self.seed)
        for start in range(0, self.times, AT_ONCE) if self.clusters else ():
            size = min(AT_ONCE, self.times - start)
            drawn = random.integers(0, self.clusters, (size, self.clusters))
            drawn += self.clusters * np.arange(size)[:, None]
            counts = np.bincount(drawn.ravel(), minlength=size * self.clusters)
            yield counts.reshape(size, self.clusters).astype(float)

    def _of_ranks(self, scores, positive, measure):
        """What `measure` makes of the weights of positive and negative items at each distinct score, lowest first."""
        scores, positive = _columns(scores), np.asarray(positive, bool)
        found = [self._of_one_ranking(own, positive, measure) for own in scores.T]
        return Estimates(
            np.array([value for value, _ in found]),
            (~np.isnan(scores)).sum(axis=0),
            np.stack([drawn for _, drawn in found], axis=1),
        )

    def _of_one_ranking(self, scores, positive, measure):
        """The value of `measure`, and that of each draw."""
        known = np.flatnonzero(~np.isnan(scores))
        known = known[np.argsort(scores[known], kind="stable")]
        starts = np.flatnonzero(np.diff(scores[known], prepend=np.nan) != 0)  # of equal scores
        kinds, owners = positive[known], self.owners[known]

        def measured(weights):  # draws x items
            parts = (np.where(kind, weights, 0) for kind in (kinds, ~kinds))
            return measure(*(np.add.reduceat(part, starts, axis=1) for part in parts))

        if not len(known):
            return np.nan, np.full(self.times, np.nan)
        drawn = [measured(weights[:, owners]) for weights in self.draws()]
        return measured(np.ones((1, len(known))))[0], np.concatenate(drawn) if drawn else np.empty(0)


def bounds(values, lowest: float = 0.0, highest: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """The means of each method if all items without a number had the lowest one, and if they had the highest."""
    values = _columns(values)
    unknown = np.isnan(values)
    return tuple(_means(np.where(unknown, filler, values)) for filler in (lowest, highest))


def interval(drawn, level: float = LEVEL) -> tuple[float | None, float | None]:
    """The middle part of drawn values; draws in which nothing was counted are passed over."""
    known = np.asarray(drawn, float)
    known = known[~np.isnan(known)]
    if not len(known):
        return None, None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _area(above, below):
    """draws x distinct scores -> draws."""
    pairs = above.sum(axis=1) * below.sum(axis=1)
    return _ratio((above * (np.cumsum(below, axis=1) - below / 2)).sum(axis=1), pairs)


def _tpr(above, below, fpr):
    """The same; what passes a threshold stands at its score or higher."""
    passing, alarms = (np.cumsum(part[:, ::-1], axis=1) for part in (above, below))
    allowed = alarms <= fpr * below.sum(axis=1, keepdims=True) + 1e-9
    best = np.where(allowed, passing, 0).max(axis=1, initial=0)
    shares = _ratio(best, above.sum(axis=1))
    return np.where(below.sum(axis=1) > 0, shares, np.nan)


def _columns(values):
    values = np.asarray(values, float)
    return values[:, None] if values.ndim == 1 else values


def _means(values):
    return _ratio(values.sum(axis=0), np.full(values.shape[1], len(values)))


def _ratio(part, whole):
    """NaN where nothing was counted."""
    part, whole = np.asarray(part, float), np.asarray(whole, float)
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)


def _stacked(drawn, values):
    return np.concatenate(drawn) if drawn else np.empty((0, values.shape[1]))


def _number(value):
    return None if np.isnan(value) else float(value)

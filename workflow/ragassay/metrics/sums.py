"""Numbers of methods with their intervals, and what a part of the items leaves for them: sums and counts of all its
items and of each draw. Parts with other clusters add up in any order to what one job over everything makes, to the bit
if values are whole numbers or rounded by `exact`. So a table of rates, means and differences needs one part of its
items in memory at a time."""

from collections.abc import Hashable
from typing import NamedTuple, Self

import numpy as np

from ragassay.metrics.resampling import interval, share_interval

GRID = 2.0**-26  # a hundred million numbers up to 1 that are multiples of it add up without a rounding error
SCORES = 1024  # of which an area is exact


class Estimates(NamedTuple):
    """One number for each method, NaN where there is nothing to count, and its value in each draw."""

    values: np.ndarray  # methods
    counts: np.ndarray  # methods: the items behind it
    abstained: np.ndarray  # methods: the items that it was asked about and that are not among these
    drawn: np.ndarray  # draws x methods
    clusters: np.ndarray  # methods: the clusters of the items behind it
    shares: np.ndarray  # methods: whether it is a share, which lies between 0 and 1

    def row(self, method: int = 0) -> dict:
        """Value, interval and counts of one method, by the names that they have in the table metrics."""
        drawn, clusters = self.drawn[:, method], int(self.clusters[method])
        if self.shares[method]:
            low, high = share_interval(self.values[method], drawn, clusters, int(self.counts[method]))
        else:
            low, high = interval(drawn, max(clusters, 1))
        counts = {"n": int(self.counts[method]), "abstained": int(self.abstained[method])}
        return {"value": number(self.values[method]), "low": low, "high": high, **counts}

    def minus(self, other: "Estimates") -> "Estimates":
        """The difference to estimates from other items of the same panel."""
        counts, abstained = self.counts + other.counts, self.abstained + other.abstained
        clusters = np.minimum(self.clusters, other.clusters)
        drawn = self.drawn - other.drawn
        return Estimates(self.values - other.values, counts, abstained, drawn, clusters, np.full(len(counts), False))

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Means as they are if all abstentions of a method were 0, and if they were 1."""
        total = np.where(self.counts > 0, self.values, 0) * self.counts
        rounded = exact(total)  # as it was before it was divided, if it was whole or `exact`
        total = np.where(np.isclose(total, rounded, rtol=1e-15, atol=0), rounded, total)
        asked = self.counts + self.abstained
        return ratio(total, asked), ratio(total + self.abstained, asked)


class Sums(NamedTuple):
    """Of one column of numbers for each method. The first row is of all items, each further one of a draw."""

    totals: np.ndarray  # 1 + draws x methods
    counts: np.ndarray  # likewise: how many items these come from
    abstained: np.ndarray  # methods, as in Estimates
    clusters: np.ndarray
    shares: np.ndarray

    def plus(self, other: Self) -> Self:
        """Together with the sums of other clusters."""
        added = (mine + others for mine, others in zip(self[:-1], other[:-1], strict=True))
        return Sums(*added, self.shares & other.shares)

    def estimates(self) -> Estimates:
        means, counts = ratio(self.totals, self.counts), self.counts[0].astype(int)
        return Estimates(means[0], counts, self.abstained, means[1:], self.clusters, self.shares)


class ScoreCounts(NamedTuple):
    """For an area under a ROC curve, of one method: how many items of either kind have each score. The first column is
    of all items, each further one of a draw. Scores lie between 0 and 1; if there are more than `SCORES`, they are
    rounded to `SCORES` steps.
    """

    scores: np.ndarray  # distinct ones, lowest first
    above: np.ndarray  # scores x 1 + draws: positive items
    below: np.ndarray  # likewise: negative items
    abstained: int
    clusters: int
    rounded: bool = False

    def plus(self, other: Self) -> Self:
        """Together with the counts of other clusters."""
        scores = np.union1d(self.scores, other.scores)
        if self.rounded != other.rounded or (not self.rounded and len(scores) > SCORES):
            return self.as_rounded().plus(other.as_rounded())
        rest = self.abstained + other.abstained, self.clusters + other.clusters, self.rounded
        kinds = []
        for mine, others in ((self.above, other.above), (self.below, other.below)):
            kinds.append(np.zeros((len(scores), mine.shape[1])))
            kinds[-1][np.searchsorted(scores, self.scores)] = mine
            kinds[-1][np.searchsorted(scores, other.scores)] += others
        return ScoreCounts(scores, *kinds, *rest)

    def as_rounded(self) -> Self:
        if self.rounded:
            return self
        scores, starts = np.unique(_rounded(self.scores), return_index=True)
        kinds = [np.add.reduceat(kind, starts) if len(starts) else kind for kind in (self.above, self.below)]
        return ScoreCounts(scores, *kinds, self.abstained, self.clusters, True)

    def against(self, other: Self) -> Self:
        """Positive items of these against negative ones of others, without draws."""
        positive, negative = self.above[:, :1], other.below[:, :1]
        mine = ScoreCounts(self.scores, positive, 0 * positive, 0, self.clusters, self.rounded)
        return mine.plus(ScoreCounts(other.scores, 0 * negative, negative, 0, 0, other.rounded))

    def error(self) -> float:
        """The most by which rounding may have changed the area: half of the pairs that it has made equal."""
        pairs = self.above[:, 0].sum() * self.below[:, 0].sum()
        return float((self.above[:, 0] * self.below[:, 0]).sum() / pairs / 2) if self.rounded and pairs else 0.0

    def estimates(self) -> Estimates:
        drawn = areas(np.ascontiguousarray(self.above.T), np.ascontiguousarray(self.below.T))
        count, is_share = int(self.above[:, 0].sum() + self.below[:, 0].sum()), np.array([True])
        rest = np.array([self.abstained]), drawn[1:, None], np.array([self.clusters])
        return Estimates(drawn[:1], np.array([count]), *rest, is_share)


class Totals:
    """What all parts that were added say, by name: `Sums`, or `ScoreCounts` of a part or more. Sums of one panel wait
    for each other, so that its draws are multiplied once.
    """

    def __init__(self):
        self._parts, self._panel, self._waiting = {}, None, []

    def __getitem__(self, name: Hashable) -> Sums | ScoreCounts:
        self._draw()
        return self._parts[name]

    def add(self, parts: dict[Hashable, Sums | ScoreCounts]) -> None:
        for name, part in parts.items():
            self._parts[name] = self._parts[name].plus(part) if name in self._parts else part

    def add_means(self, panel, values, masks: dict[Hashable, np.ndarray]) -> None:
        """The numbers of some items, for the means of those of each mask; None is a mask of all that have a number."""
        if self._waiting and (self._panel.names is not panel.names or self._panel.times != panel.times):
            self._draw()
        self._panel, values = panel, columns_of(values)
        answered, beyond = ~np.isnan(values), (values < 0) | (values > 1)
        for name, mask in masks.items():
            asked = mask_of(mask, answered)
            counted = asked & answered
            sums = panel.sums(np.where(counted, values, 0)), panel.sums(counted)
            shares = ~(counted & beyond).any(axis=0)
            self._waiting.append((name, *sums, (asked & ~answered).sum(axis=0), shares))

    def _draw(self):
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        names, totals, counts, abstained, shares = zip(*waiting, strict=True)
        drawn = self._panel.drawn(np.concatenate([*totals, *counts], axis=1))
        parts = np.split(drawn, np.cumsum([part.shape[1] for part in (*totals, *counts)])[:-1], axis=1)
        for at, name in enumerate(names):
            rest = abstained[at], (counts[at] > 0).sum(axis=0), shares[at]
            self.add({name: Sums(parts[at], parts[len(names) + at], *rest)})

    def estimates(self) -> dict[Hashable, Estimates]:
        self._draw()
        return {name: sums.estimates() for name, sums in self._parts.items()}


def areas(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """draws x distinct scores, lowest first -> draws, from the weights of positive and negative items; NaN without
    both.
    """
    pairs = above.sum(axis=1) * below.sum(axis=1)
    wins = np.vecdot(above, np.cumsum(below, axis=1)) - np.vecdot(above, below) / 2
    return np.divide(wins, pairs, out=np.full(len(wins), np.nan), where=pairs > 0)


def fewer(scores: np.ndarray) -> tuple[np.ndarray, bool]:
    """Scores as `ScoreCounts` keeps them, and whether they are rounded."""
    rounded = len(np.unique(scores)) > SCORES
    return (_rounded(scores) if rounded else scores), rounded


def _rounded(scores):
    return np.round(scores * SCORES) / SCORES


def exact(values) -> np.ndarray:
    """Values rounded to multiples of `GRID`, 1.5e-8, so that their sums do not depend on the order."""
    return np.round(np.asarray(values, float) / GRID) * GRID


def number(value) -> float | None:
    """A number as a table holds it: nothing instead of NaN."""
    return None if np.isnan(value) else float(value)


def ratio(part, whole):
    """NaN where nothing was counted."""
    part, whole = np.asarray(part, float), np.asarray(whole, float)
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)


def columns_of(values, type_=float) -> np.ndarray:
    """items x methods, also of numbers of one method."""
    values = np.asarray(values, type_)
    return values[:, None] if values.ndim == 1 else values


def mask_of(asked, answered) -> np.ndarray:
    """A mask for each of the methods; without one, of what has a number."""
    return answered if asked is None else np.broadcast_to(columns_of(asked, bool), answered.shape)

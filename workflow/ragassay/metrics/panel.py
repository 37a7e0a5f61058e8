"""Compare methods on the same items: rates, areas under ROC curves and differences, with their intervals, all from
the same draws of clusters. It measures arrays of items x methods, NaN where a method has no answer. A mask says which
items a method was asked about; one without an answer for an item of the mask abstains, and `bounds` shows what its
abstentions could change. `auroc` is the plain number, without an interval."""

import copy
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from itertools import chain

import numpy as np

from ragassay.metrics import resampling
from ragassay.metrics.paired import flipped, p_of_flips
from ragassay.metrics.sums import Estimates, ScoreCounts, Sums, areas, fewer, ratio


def auroc(scores, positive) -> float | None:
    """How often a positive item scores above a negative one, ties counting half; None without items of both kinds."""
    return _only(areas(*counted(scores, positive)))


def average_precision(scores, positive) -> float | None:
    """The step-wise area under the precision-recall curve; None without positive items."""
    return _only(precisions(*counted(scores, positive)))


def counted(scores, positive) -> tuple[np.ndarray, np.ndarray]:
    """How many positive and how many negative items there are at each distinct score, lowest first: 1 x scores."""
    values, places = np.unique(np.asarray(scores, float), return_inverse=True)
    positive = np.asarray(positive, bool)
    above, below = (np.bincount(places[kind], minlength=len(values))[None] for kind in (positive, ~positive))
    return above, below


def precisions(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Average precisions from the same weights as `areas`; NaN where there are no positive items."""
    hits, alarms = (np.cumsum(part[:, ::-1], axis=1) for part in (above, below))  # at each threshold, highest first
    passing = hits + alarms
    precision = np.divide(hits, passing, out=np.zeros(hits.shape), where=passing > 0)
    total = above.sum(axis=1)
    return np.divide((above[:, ::-1] * precision).sum(axis=1), total, out=np.full(len(total), np.nan), where=total > 0)


def _only(values):
    return None if np.isnan(values[0]) else float(values[0])


class Panel:
    """`clusters` names the cluster of each item. Without draws (`times` = 0) estimates have no intervals."""

    def __init__(self, clusters, times: int = 0, seed: int = 0):
        self.names, self.owners = np.unique(np.asarray(clusters, str), return_inverse=True)  # item -> its cluster
        self.clusters, self.times, self.seed = len(self.names), times, seed

    def part(self, mask) -> "Panel":
        """Some of the items, with the draws of all of them."""
        part = copy.copy(self)
        part.owners = self.owners[np.asarray(mask, bool)]
        return part

    def mean(self, values, asked=None) -> Estimates:
        """The mean of the numbers of each method."""
        return self.means(values, {"all": asked})["all"]

    def difference(self, values, asked=None) -> Estimates:
        """The mean difference of two methods, from the differences of items."""
        means = self.mean(values, asked)
        return means._replace(shares=np.full(len(means.values), False))

    def means(self, values, masks: dict[Hashable, np.ndarray]) -> dict[Hashable, Estimates]:
        """The same for the items of each mask, by its name; None is a mask of all items that have a number."""
        return {name: sums.estimates() for name, sums in self.summed(values, masks).items()}

    def summed(self, values, masks: dict[Hashable, np.ndarray]) -> dict[Hashable, Sums]:
        """What these items leave for the means of them and others."""
        values = _columns(values)
        answered = ~np.isnan(values)
        shares = np.all(~answered | ((values >= 0) & (values <= 1)), axis=0)
        numbers = np.where(answered, values, 0)
        asked = {name: _mask(mask, answered) for name, mask in masks.items()}
        totals = [self.sums(np.where(mask, numbers, 0)) for mask in asked.values()]
        counts = [self.sums(mask & answered) for mask in asked.values()]
        together = np.concatenate([np.zeros((self.clusters, 0)), *totals, *counts], axis=1)
        drawn = np.zeros((1 + self.times, together.shape[1]))
        drawn[0], done = together.sum(axis=0), 1
        for weights in self.draws():
            drawn[done : done + len(weights)] = weights @ together
            done += len(weights)
        sums, parts = {}, np.split(drawn, 2 * len(asked), axis=1) if asked else []
        for at, (name, mask) in enumerate(asked.items()):
            rest = (mask & ~answered).sum(axis=0), (counts[at] > 0).sum(axis=0), shares
            sums[name] = Sums(parts[at], parts[len(asked) + at], *rest)
        return sums

    def score_counts(self, scores, positive, masks: dict[Hashable, np.ndarray]) -> dict[Hashable, ScoreCounts]:
        """What these items leave for the areas of them and others, by the scores of one method."""
        from scipy.sparse import csr_array  # most jobs that import this module count no scores

        scores, positive = np.asarray(scores, float), np.asarray(positive, bool)
        answered, counts, of_clusters = ~np.isnan(scores), {}, {}
        for name, mask in masks.items():
            items = np.flatnonzero(mask & answered)
            values, rounded = fewer(scores[items])
            distinct, places = np.unique(values, return_inverse=True)
            of_clusters[name] = [  # scores x clusters, of either kind
                csr_array((kind.astype(float), (places, self.owners[items])), (len(distinct), self.clusters))
                for kind in (positive[items], ~positive[items])
            ]
            above, below = (np.zeros((len(distinct), 1 + self.times)) for _ in range(2))
            rest = int((mask & ~answered).sum()), len(np.unique(self.owners[items])), rounded
            counts[name] = ScoreCounts(distinct, above, below, *rest)
        done = 0
        for weights in chain([np.ones((1, self.clusters))], self.draws()):
            columns = slice(done, done := done + len(weights))
            for name, kinds in of_clusters.items():
                counts[name].above[:, columns], counts[name].below[:, columns] = (kind @ weights.T for kind in kinds)
        return {name: of_mask.filled() for name, of_mask in counts.items()}

    def auroc(self, scores, positive, asked=None) -> Estimates:
        """How often a positive item scores above a negative one; one column of scores may serve a mask of many."""
        return self._of_rankings(scores, positive, asked, [areas])[0]

    def average_precision(self, scores, positive, asked=None) -> Estimates:
        """The area under the precision-recall curve, in steps; see `precisions`."""
        return self._of_rankings(scores, positive, asked, [precisions])[0]

    def tpr_at(self, scores, positive, fpr: float, asked=None) -> Estimates:
        """The largest share of positive items above a threshold that at most a share `fpr` of negative ones reach."""
        return self._of_rankings(scores, positive, asked, [partial(_tpr, fpr=fpr)])[0]

    def auroc_and_tprs(self, scores, positive, fprs: list[float], asked=None) -> list[Estimates]:
        """What `auroc` and `tpr_at` give, in one pass."""
        return self._of_rankings(scores, positive, asked, [areas, *(partial(_tpr, fpr=fpr) for fpr in fprs)])

    def measure(self, measure: Callable[[np.ndarray], float | None], abstained: int = 0) -> Estimates:
        """Any other number, such as an agreement: `measure` makes it from weights, one for each item."""
        whole = measure(np.ones(len(self.owners))) if len(self.owners) else None
        drawn = [measure(resampled) for weights in self.draws() for resampled in weights[:, self.owners]]
        counts = (np.array([len(self.owners)]), np.array([abstained]))
        drawn = np.array(drawn, float).reshape(-1, 1)
        clusters = np.array([len(np.unique(self.owners))])
        return Estimates(np.array([whole], float), *counts, drawn, clusters, np.full(1, False))

    def p(self, differences, flips: int) -> np.ndarray:
        """Two-sided p of the mean of each column of differences, by flipping the signs of clusters."""
        return p_of_flips(self.flipped(differences, flips))

    def flipped(self, differences, flips: int) -> np.ndarray:
        """1 + flips x columns: the sum of each column as it is, and with each flip; those of parts add up."""
        differences = _columns(differences)
        return flipped(self.sums(np.where(np.isnan(differences), 0, differences)), self.names, flips, self.seed)

    def sums(self, values) -> np.ndarray:
        """clusters x methods: the values of the items added up by cluster."""
        values = _columns(values)
        totals = np.zeros((self.clusters, values.shape[1]))
        np.add.at(totals, self.owners, values)
        return totals

    def draws(self) -> Iterator[np.ndarray]:
        """draws x clusters: how often each cluster was drawn, some draws at a time; see `resampling.draws`."""
        return resampling.draws(self.names, self.times, self.seed)

    def _of_rankings(self, scores, positive, asked, measures):
        scores, positive = _columns(scores), np.asarray(positive, bool)
        if asked is not None:
            scores = np.broadcast_arrays(scores, _columns(asked, bool))[0]
        answered = ~np.isnan(scores)
        asked = _mask(asked, answered)
        rankings = [
            _Ranking(column, np.flatnonzero(counted), positive, self.owners, measures)
            for column, counted in zip(scores.T, (asked & answered).T, strict=True)
        ]
        drawn = []
        for weights in self.draws():
            weights = np.ascontiguousarray(weights.T)
            drawn.append(np.stack([ranking(weights) for ranking in rankings], axis=-1))
        whole = np.concatenate([ranking(np.ones((self.clusters, 1))) for ranking in rankings], axis=1)
        counts = (asked & answered).sum(axis=0), (asked & ~answered).sum(axis=0)
        rest = (self.sums(asked & answered) > 0).sum(axis=0), np.full(len(rankings), True)
        return [
            Estimates(whole[at], *counts, _stacked([part[at] for part in drawn], len(rankings)), *rest)
            for at in range(len(measures))
        ]


class _Ranking:
    """The scores of one method, sorted once; what `measures` make of them depends on the weights of the items."""

    def __init__(self, scores, counted, positive, owners, measures):
        items = counted[np.argsort(scores[counted], kind="stable")]
        self.kinds = [np.flatnonzero(positive[items] == kind) for kind in (True, False)]
        self.owners, self.measures = owners[items], measures
        self.starts = np.flatnonzero(np.diff(scores[items], prepend=np.nan) != 0)  # of equal scores

    def __call__(self, weights):
        """clusters x draws -> measures x draws"""
        if not len(self.owners):
            return np.full((len(self.measures), weights.shape[1]), np.nan)
        parts = [np.ascontiguousarray(self._weights(places, weights).T) for places in self.kinds]
        return np.stack([measure(*parts) for measure in self.measures])

    def _weights(self, places, weights):
        """distinct scores x draws: what the items at those places of the ranking weigh."""
        placed = np.zeros((len(self.owners), weights.shape[1]))
        placed[places] = weights[self.owners[places]]
        return placed if len(self.starts) == len(placed) else np.add.reduceat(placed, self.starts, axis=0)


def bounds(values, asked=None) -> tuple[np.ndarray, np.ndarray]:
    """The means of each method if all its abstentions were 0, and if they were 1; without a mask, of all items."""
    values = _columns(values)
    asked = np.broadcast_to(True if asked is None else _columns(asked, bool), values.shape)
    filled = (np.where(np.isnan(values), filler, values) for filler in (0.0, 1.0))
    return tuple(ratio(np.where(asked, column, 0).sum(axis=0), asked.sum(axis=0)) for column in filled)


def _tpr(above, below, fpr):
    """Weights of both kinds as `areas` takes them; what passes a threshold stands at its score or higher."""
    passing, alarms = (np.cumsum(part[:, ::-1], axis=1) for part in (above, below))
    allowed = alarms <= fpr * below.sum(axis=1, keepdims=True) + 1e-9
    best = np.where(allowed, passing, 0).max(axis=1, initial=0)
    shares = ratio(best, above.sum(axis=1))
    return np.where(below.sum(axis=1) > 0, shares, np.nan)


def _columns(values, type_=float):
    values = np.asarray(values, type_)
    return values[:, None] if values.ndim == 1 else values


def _mask(asked, answered):
    return answered if asked is None else np.broadcast_to(_columns(asked, bool), answered.shape)


def _stacked(drawn, methods):
    return np.concatenate(drawn) if drawn else np.empty((0, methods))

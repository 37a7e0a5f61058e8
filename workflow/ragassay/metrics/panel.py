"""Compare methods on the same items: rates, areas under ROC curves and differences, with their intervals, all from
the same draws of clusters. It measures arrays of items x methods, NaN where a method has no answer. A mask says which
items a method was asked about; one without an answer for an item of the mask abstains, and `bounds` of estimates shows
what its abstentions could change. `auroc` is the plain number, without an interval."""

import copy
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from itertools import chain

import numpy as np

from ragassay.metrics import resampling
from ragassay.metrics.paired import flipped, p_of_flips
from ragassay.metrics.sums import Estimates, ScoreCounts, Totals, areas, columns_of, fewer, mask_of, number, ratio

CACHED = 2**15  # numbers


def auroc(scores, positive) -> float | None:
    """How often a positive item scores above a negative one, ties counting half; None without items of both kinds."""
    return number(areas(*counted(scores, positive))[0])


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

    def undrawn(self) -> "Panel":
        """The same items, for estimates without intervals."""
        undrawn = copy.copy(self)
        undrawn.times = 0
        return undrawn

    def mean(self, values, asked=None) -> Estimates:
        """The mean of the numbers of each method."""
        return self.means(values, {"all": asked})["all"]

    def difference(self, values, asked=None) -> Estimates:
        """The mean difference of two methods, from the differences of items."""
        means = self.mean(values, asked)
        return means._replace(shares=np.full(len(means.values), False))

    def means(self, values, masks: dict[Hashable, np.ndarray]) -> dict[Hashable, Estimates]:
        """The same for the items of each mask, by its name; None is a mask of all items that have a number."""
        totals = Totals()
        totals.add_means(self, values, masks)
        return totals.estimates()

    def score_counts(self, scores, positive, masks: dict[Hashable, np.ndarray]) -> dict[Hashable, ScoreCounts]:
        """What these items leave for the areas of them and others, by the scores of one method."""
        scores, positive = np.asarray(scores, float), np.asarray(positive, bool)
        answered, counts, of_clusters = ~np.isnan(scores), {}, {}
        for name, mask in masks.items():
            items = np.flatnonzero(mask & answered)
            values, rounded = fewer(scores[items])
            distinct, of_clusters[name] = self._by_score(values, positive, items)
            above, below = (np.zeros((len(distinct), 1 + self.times)) for _ in range(2))
            rest = int((mask & ~answered).sum()), len(np.unique(self.owners[items])), rounded
            counts[name] = ScoreCounts(distinct, above, below, *rest)
        done = 0
        for weights in self._with_the_whole():
            columns = slice(done, done := done + len(weights))
            for name, kinds in of_clusters.items():
                counts[name].above[:, columns], counts[name].below[:, columns] = (kind @ weights.T for kind in kinds)
        return counts

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
        drawn = [measure(items) for weights in self.draws() for items in weights[:, self.owners].astype(float)]
        counts = (np.array([len(self.owners)]), np.array([abstained]))
        drawn = np.array(drawn, float).reshape(-1, 1)
        clusters = np.array([len(np.unique(self.owners))])
        return Estimates(np.array([whole], float), *counts, drawn, clusters, np.full(1, False))

    def p(self, differences, flips: int) -> np.ndarray:
        """Two-sided p of the mean of each column of differences, by flipping the signs of clusters."""
        return p_of_flips(self.flipped(differences, flips))

    def flipped(self, differences, flips: int) -> np.ndarray:
        """1 + flips x columns: the sum of each column as it is, and with each flip; those of parts add up."""
        differences = columns_of(differences)
        return flipped(self.sums(np.where(np.isnan(differences), 0, differences)), self.names, flips, self.seed)

    def sums(self, values) -> np.ndarray:
        """clusters x methods: the values of the items added up by cluster."""
        columns = columns_of(values).T
        sums = [np.bincount(self.owners, column, self.clusters) for column in columns]
        return np.ascontiguousarray(np.array(sums, float).reshape(len(columns), self.clusters).T)

    def draws(self) -> Iterator[np.ndarray]:
        """draws x clusters: how often each cluster was drawn, some draws at a time; see `resampling.draws`."""
        return resampling.draws(self.names, self.times, self.seed)

    def drawn(self, sums: np.ndarray) -> np.ndarray:
        """1 + draws x columns: what columns of clusters add up to, as they are and in each draw."""
        drawn = [weights @ sums for weights in self.draws()] or [np.zeros((self.times, sums.shape[1]))]
        return np.concatenate([sums.sum(axis=0, keepdims=True), *drawn])

    def _with_the_whole(self):
        """As the draws, with all clusters as they are before them."""
        return chain([np.ones((1, self.clusters))], self.draws())

    def _by_score(self, scores, positive, items):
        """The distinct scores of items, lowest first, and of either kind how many of each cluster have them: scores x
        clusters. `scores` are those of `items` alone.
        """
        from scipy.sparse import csr_array  # most jobs that import this module count no scores

        distinct, places = np.unique(scores, return_inverse=True)
        shape, owners = (len(distinct), self.clusters), self.owners[items]
        kinds = (positive[items] == kind for kind in (True, False))
        return distinct, [csr_array((kind.astype(float), (places, owners)), shape) for kind in kinds]

    def _of_rankings(self, scores, positive, asked, measures):
        scores, positive = columns_of(scores), np.asarray(positive, bool)
        if asked is not None:
            scores = np.broadcast_arrays(scores, columns_of(asked, bool))[0]
        answered = ~np.isnan(scores)
        asked = mask_of(asked, answered)
        rankings = []
        for column, counted in zip(scores.T, (asked & answered).T, strict=True):
            items = np.flatnonzero(counted)
            rankings.append(self._by_score(column[items], positive, items)[1])
        values = np.full((len(measures), 1 + self.times, len(rankings)), np.nan)
        done = 0
        for weights in self._with_the_whole():
            rows = slice(done, done := done + len(weights))
            for at, kinds in enumerate(rankings):
                values[:, rows, at] = np.concatenate(
                    [_measured(kinds, few, measures) for few in _few(weights, kinds[0].shape[0])], axis=1
                )
        counts = (asked & answered).sum(axis=0), (asked & ~answered).sum(axis=0)
        rest = (self.sums(asked & answered) > 0).sum(axis=0), np.full(len(rankings), True)
        return [Estimates(of_measure[0], *counts, of_measure[1:], *rest) for of_measure in values]


def _few(weights, scores):
    """Some draws at a time, fewer the more scores there are: arrays of draws x scores stay in a processor's cache."""
    most = max(1, CACHED // max(1, scores))
    return (weights[start : start + most] for start in range(0, len(weights), most))


def _measured(kinds, weights, measures):
    """measures x draws, from how many items of either kind each cluster has at each score."""
    above, below = (np.ascontiguousarray((kind @ weights.T).T) for kind in kinds)
    return np.array([measure(above, below) for measure in measures])


def _tpr(above, below, fpr):
    """Weights of both kinds as `areas` takes them; what passes a threshold stands at its score or higher."""
    passing, alarms = (np.cumsum(part[:, ::-1], axis=1) for part in (above, below))
    allowed = alarms <= fpr * below.sum(axis=1, keepdims=True) + 1e-9
    best = np.where(allowed, passing, 0).max(axis=1, initial=0)
    shares = ratio(best, above.sum(axis=1))
    return np.where(below.sum(axis=1) > 0, shares, np.nan)

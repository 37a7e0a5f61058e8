"""Tests whether two methods do equally well on the same items, and Holm's correction for multiple tests. `flipped`
tests a mean difference: if both are equally good, what one wins on a document could as well be lost there (with one
question per document, McNemar's exact test). `rank_swap` tests a difference of areas under ROC curves by exchanging
the ranks of a cluster."""

import numpy as np

from ragassay.metrics.resampling import signs


def flipped(differences, clusters, flips: int, seed: int = 0) -> np.ndarray:
    """1 + flips x tests, from clusters x tests: the sum of each column as it is, and as each flip makes it. Sums of
    other clusters add up; see `p_of_flips`.
    """
    differences = np.asarray(differences, np.float32)  # exact: they are whole numbers
    differing = differences.any(axis=1)
    differences, names = differences[differing], np.asarray(clusters)[differing]
    sums = np.zeros((1 + flips, differences.shape[1]))
    sums[0] = differences.sum(axis=0)
    done = 1
    for sides in signs(names, flips, seed):
        sums[done : done + len(sides)] = sides @ differences
        done += len(sides)
    return sums


def p_of_flips(sums) -> np.ndarray:
    """Two-sided p of at least 1 / (flips + 1) for each test, from the sums that `flipped` gives."""
    return ((np.abs(sums[1:]) >= np.abs(sums[0])).sum(axis=0) + 1) / len(sums)


def rank_swap(first, second, positive, clusters, flips: int, seed: int = 0) -> float:
    """Two-sided p of the difference of two AUROCs: ranks of a cluster's items could as well be exchanged.

    With ranks x and y of a positive item, x' and y' of a negative one, and signs s and s' that say whether the ranks of
    their clusters are exchanged, a pair adds A = [x > x'] - [y > y'] times s where s = s', else B = [x > y'] - [y > x']
    times s: together (A + B) / 2 times s plus (A - B) / 2 times s'. So a cluster adds a fixed size, and only its sign
    depends on the exchange.
    """
    positive = np.asarray(positive, bool)
    names, owners = np.unique(np.asarray(clusters), return_inverse=True)
    shares = np.bincount(owners, _shares(_ranks(first), _ranks(second), positive), len(names))
    observed = abs(shares.sum())
    beyond = sum(int((np.abs(sides @ shares) >= observed).sum()) for sides in signs(names, flips, seed))
    return (beyond + 1) / (flips + 1)


def holm(values) -> np.ndarray:
    """Values of p as they stand after many tests: each times the number of tests not yet rejected before it."""
    values = np.asarray(values, float)
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    adjusted = np.minimum(np.maximum.accumulate(values[order] * factors), 1)
    return adjusted[np.argsort(order, kind="stable")]


def _ranks(scores):
    """The rank of each score, equal ones having the mean of theirs."""
    _, places, counts = np.unique(np.asarray(scores, float), return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[places]


def _shares(x, y, positive):
    """What each item contributes to the difference, in quarters of a pair that is ordered rightly: whole numbers."""
    above, below = (x[positive], y[positive]), (x[~positive], y[~positive])
    shares = np.empty(len(x))
    shares[positive] = _wins(above[0], below) - _wins(above[1], below)
    shares[~positive] = _wins(below[1], above) - _wins(below[0], above)
    return shares


def _wins(ranks, others):
    """How often each rank is above those of others, by both methods together, twice: equal ones count once."""
    return sum(
        np.searchsorted(np.sort(other), ranks, side).astype(float) for other in others for side in ("left", "right")
    )

"""Tests whether two methods have the same area under the ROC curve on the same items, by exchanging their ranks.

No area is computed anew. Let x and y be the ranks that a positive item has by the two methods, x' and y' those of a
negative one, and s and s' be 1, or -1 if the ranks of their clusters are exchanged. The pair adds to the difference of
the areas A = [x > x'] - [y > y'] times s where s = s', and B = [x > y'] - [y > x'] times s elsewhere. Both are the same
as (A + B) / 2 times s plus (A - B) / 2 times s'. So what a cluster adds has always the same size, and only its sign
depends on the exchange.
"""

import numpy as np

from ragassay.metrics.paired import AT_ONCE


def swap(first, second, positive, clusters, flips: int, seed: int = 0) -> float:
    """Two-sided p of the difference between the AUROCs of two methods on the same items: if both rank equally well, the
    ranks that they give to the items of a cluster could as well be exchanged.
    """
    positive = np.asarray(positive, bool)
    names, owners = np.unique(np.asarray(clusters), return_inverse=True)
    shares = np.bincount(owners, _shares(_ranks(first), _ranks(second), positive), len(names))
    found, random, beyond = abs(shares.sum()), np.random.default_rng(seed), 0
    for start in range(0, flips, AT_ONCE):
        swapped = random.integers(0, 2, (min(AT_ONCE, flips - start), len(names)))
        beyond += int((np.abs((1 - 2 * swapped) @ shares) >= found).sum())
    return (beyond + 1) / (flips + 1)


def _ranks(scores):
    """The rank of each score, equal ones having the mean of theirs."""
    _, places, counts = np.unique(np.asarray(scores, float), return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[places]


def _shares(x, y, positive):
    """What each item contributes to the difference, in quarters of a pair that is ordered rightly: whole numbers."""
    above, below = (x[positive], y[positive]), (x[~positive], y[~positive])
    found = np.empty(len(x))
    found[positive] = _wins(above[0], below) - _wins(above[1], below)
    found[~positive] = _wins(below[1], above) - _wins(below[0], above)
    return found


def _wins(ranks, others):
    """How often each rank is above those of others, by both methods together, twice: equal ones count once."""
    return sum(np.searchsorted(np.sort(own), ranks, side).astype(float) for own in others for side in ("left", "right"))

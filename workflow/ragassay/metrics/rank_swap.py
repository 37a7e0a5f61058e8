"""Tests whether two methods have the same area under the ROC curve on the same items, by exchanging their ranks. Apart
from `paired`, since few stages need it and scipy takes long to import.
"""

import numpy as np
from scipy.stats import rankdata

from ragassay.metrics.auroc import areas
from ragassay.metrics.paired import AT_ONCE


def swap(first, second, positive, clusters, flips: int, seed: int = 0) -> float:
    """Two-sided p of the difference between the AUROCs of two methods on the same items: if both rank equally well, the
    ranks that they give to the items of a cluster could as well be exchanged.
    """
    positive = np.asarray(positive, bool)
    order, count = np.argsort(~positive, kind="stable"), int(positive.sum())
    names, owners = np.unique(np.asarray(clusters)[order], return_inverse=True)
    ranks = np.stack([rankdata(scores)[order] for scores in (first, second)])
    places = np.unique(ranks, return_inverse=True)[1].reshape(ranks.shape)
    found = abs(float(np.diff(_areas(places, count))[0]))
    random, beyond = np.random.default_rng(seed), 0
    for start in range(0, flips, AT_ONCE):
        swapped = random.integers(0, 2, (min(AT_ONCE, flips - start), len(names))).astype(bool)[:, owners]
        both = [_areas(np.where(swapped, *pair), count) for pair in (places, places[::-1])]
        beyond += int((np.abs(both[0] - both[1]) >= found - 1e-12).sum())
    return (beyond + 1) / (flips + 1)


def _areas(places, positive):
    """The AUROC of each row of small whole numbers, those of positive items first. Counting is faster than sorting."""
    width = places.max() + 1
    cells = places + width * np.arange(len(places))[:, None]
    parts = (cells[:, :positive], cells[:, positive:])
    return areas(*(np.bincount(part.ravel(), minlength=width * len(cells)).reshape(-1, width) for part in parts))

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
    places = np.stack([rankdata(scores) * 2 for scores in (first, second)]).astype(int)  # halves are ranks of equals
    positive, (names, owners) = np.asarray(positive, bool), np.unique(clusters, return_inverse=True)
    found = abs(float(np.diff(_areas(places, positive))[0]))
    random, beyond = np.random.default_rng(seed), 0
    for start in range(0, flips, AT_ONCE):
        swapped = random.integers(0, 2, (min(AT_ONCE, flips - start), len(names))).astype(bool)[:, owners]
        both = [_areas(np.where(swapped, *pair), positive) for pair in (places, places[::-1])]
        beyond += int((np.abs(both[0] - both[1]) >= found - 1e-12).sum())
    return (beyond + 1) / (flips + 1)


def _areas(places, positive):
    """The AUROC of each row of whole numbers, of which none is above twice their count. Counting is faster than
    sorting.
    """
    width = 2 * places.shape[1] + 1
    cells = places + width * np.arange(len(places))[:, None]
    parts = (np.bincount(cells[:, kind].ravel(), minlength=width * len(places)) for kind in (positive, ~positive))
    return areas(*(part.reshape(-1, width) for part in parts))

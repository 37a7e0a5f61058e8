"""The area under the ROC curve: how often a positive item scores above a negative one, ties counting half.

In closed form, from ranks; items may have weights, so that a resample is a vector of counts. No curve is drawn here.
"""

import numpy as np


def auroc(scores, positive, weights=None) -> float | None:
    """None if there are no positive or no negative items."""
    return Auroc(scores, positive)(weights)


class Auroc:
    """The same scores under many weights: they are sorted once."""

    def __init__(self, scores, positive):
        scores, positive = np.asarray(scores, float), np.asarray(positive, bool)
        values, places = np.unique(scores, return_inverse=True)
        self._kinds, self._places, self._values = positive, places, len(values)

    def __call__(self, weights=None) -> float | None:
        weights = np.ones(len(self._kinds)) if weights is None else np.asarray(weights, float)
        above, below = (
            np.bincount(self._places[kind], weights[kind], self._values) for kind in (self._kinds, ~self._kinds)
        )
        pairs = above.sum() * below.sum()
        if not pairs:
            return None
        return float((above * (np.cumsum(below) - below / 2)).sum() / pairs)

"""The area under the ROC curve: how often a positive item scores above a negative one, ties counting half.

In closed form, from the number (or weight) of the items of both kinds at each distinct score. No curve is drawn here.
"""

import numpy as np


def auroc(scores, positive) -> float | None:
    """None if there are no positive or no negative items."""
    (found,) = areas(*counted(scores, positive))
    return None if np.isnan(found) else float(found)


def counted(scores, positive) -> tuple[np.ndarray, np.ndarray]:
    """How many positive and how many negative items there are at each distinct score, lowest first: 1 x scores."""
    values, places = np.unique(np.asarray(scores, float), return_inverse=True)
    positive = np.asarray(positive, bool)
    above, below = (np.bincount(places[kind], minlength=len(values))[None] for kind in (positive, ~positive))
    return above, below


def areas(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """draws x distinct scores, lowest first -> draws: `above` are the weights of positive items, `below` of negative
    ones. NaN where there are none of a kind.
    """
    pairs = above.sum(axis=1) * below.sum(axis=1)
    wins = np.vecdot(above, np.cumsum(below, axis=1)) - np.vecdot(above, below) / 2
    return np.divide(wins, pairs, out=np.full(len(wins), np.nan), where=pairs > 0)

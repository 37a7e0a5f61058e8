"""How well scores rank positive items above negative ones: the area under the ROC curve, and average precision, in
closed form from the weight of the items of both kinds at each distinct score."""

import numpy as np


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


def areas(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """draws x distinct scores, lowest first -> draws, from the weights of positive and negative items; NaN without
    both.
    """
    pairs = above.sum(axis=1) * below.sum(axis=1)
    wins = np.vecdot(above, np.cumsum(below, axis=1)) - np.vecdot(above, below) / 2
    return np.divide(wins, pairs, out=np.full(len(wins), np.nan), where=pairs > 0)


def precisions(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Average precisions from the same weights as `areas`; NaN where there are no positive items."""
    hits, alarms = (np.cumsum(part[:, ::-1], axis=1) for part in (above, below))  # at each threshold, highest first
    passing = hits + alarms
    precision = np.divide(hits, passing, out=np.zeros(hits.shape), where=passing > 0)
    total = above.sum(axis=1)
    return np.divide((above[:, ::-1] * precision).sum(axis=1), total, out=np.full(len(total), np.nan), where=total > 0)


def _only(values):
    return None if np.isnan(values[0]) else float(values[0])

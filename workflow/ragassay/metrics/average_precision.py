"""Average precision: the mean precision over the positive items, at the threshold that each of them just passes.

The step-wise area under the precision-recall curve, in closed form from the number (or weight) of the items of both
kinds at each distinct score, as `ragassay.metrics.auroc` takes them. Nothing is interpolated.
"""

import numpy as np

from ragassay.metrics.auroc import counted


def average_precision(scores, positive) -> float | None:
    """None if there are no positive items."""
    (found,) = precisions(*counted(scores, positive))
    return None if np.isnan(found) else float(found)


def precisions(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """draws x distinct scores, lowest first -> draws: `above` are the weights of positive items, `below` of negative
    ones. NaN where there are no positive ones.
    """
    hits, alarms = (np.cumsum(part[:, ::-1], axis=1) for part in (above, below))  # at each threshold, highest first
    passing = hits + alarms
    precision = np.divide(hits, passing, out=np.zeros(hits.shape), where=passing > 0)
    total = above.sum(axis=1)
    return np.divide((above[:, ::-1] * precision).sum(axis=1), total, out=np.full(len(total), np.nan), where=total > 0)

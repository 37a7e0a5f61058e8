"""Where numbers belong in sorted columns, as `numpy.searchsorted` tells for one column, and faster for many numbers.

The range of each column is cut into a grid of equal buckets. Most buckets hold no number of the column, so the place of
what falls into them is known at once, and one comparison settles those that hold one; only the rest is searched.
"""

import numpy as np

from ragassay.studies.relevance.statistics import ROWS

BUCKETS = 4096
MANY = 5000  # numbers from which a grid is worth it


def searched(ordered: np.ndarray, values: np.ndarray, side: str) -> np.ndarray:
    """queries x k: the place of each value in its column of `ordered`, n x k."""
    if values.size < MANY:
        pairs = zip(ordered.T, values.T, strict=True)
        return np.stack([np.searchsorted(column, asked, side) for column, asked in pairs], axis=1)
    width = ordered.shape[1]
    lowest, highest = ordered[0], ordered[-1]
    scale = ((BUCKETS - 2) / np.where(highest > lowest, highest - lowest, 1)).astype(np.float32)
    starts = BUCKETS * np.arange(width, dtype=np.int32) + 1
    held = np.bincount(_buckets(ordered, lowest, scale, starts).ravel(), minlength=width * BUCKETS)
    before = np.zeros((width, BUCKETS), np.int32)
    np.cumsum(held.reshape(width, BUCKETS)[:, :-1], axis=1, out=before[:, 1:])
    before, held = before.ravel(), np.minimum(held, 2).astype(np.int8)
    places, inside = np.empty(values.shape, np.int32), np.empty(values.shape, np.int8)
    for start in range(0, len(values), ROWS):
        rows = slice(start, start + ROWS)
        buckets = _buckets(values[rows], lowest, scale, starts)
        before.take(buckets, out=places[rows], mode="clip")  # no bucket is outside; a check would cost a copy
        held.take(buckets, out=inside[rows], mode="clip")
    _compare(places.ravel(), inside.ravel(), ordered, values.ravel(), np.less_equal if side == "right" else np.less)
    for at in np.flatnonzero((inside > 1).any(axis=0)):
        rows = np.flatnonzero(inside[:, at] > 1)
        places[rows, at] = np.searchsorted(ordered[:, at], values[rows, at], side)
    return places


def _compare(places, inside, ordered, values, passed):
    """Move on those whose bucket holds one number of the column, if they passed it."""
    alone = np.flatnonzero(inside == 1)
    numbers = ordered.ravel().take(places[alone] * ordered.shape[1] + alone % ordered.shape[1])
    places[alone] += passed(numbers, values[alone])


def _buckets(values, lowest, scale, starts):
    """A greater number is never in a lower bucket of its column, whatever 32 bits round."""
    found = (values - lowest).astype(np.float32)
    found *= scale
    np.maximum(found, -1, out=found)
    np.minimum(found, BUCKETS - 2, out=found)
    found = found.astype(np.int32)
    found += starts
    return found

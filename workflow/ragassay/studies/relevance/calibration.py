"""From a statistic to a p-value and a decision, by n in-knowledge queries: `conformal`, (1 + how many are at least t)
/ (n + 1), with which a share of at most alpha is rejected whatever the distribution; or `paper`, its equation 2,
where the 1 stands on the wrong side, so that slightly too many are. Decisions compare whole numbers, so that rounding
decides nothing. With n queries, a rule keeps alpha on average over all sets of n; with `confidence`, the rule of this
very set keeps it, but for one set in 1 / (1 - confidence)."""

import math
from fractions import Fraction

import numpy as np

from ragassay.base.errors import AssayError
from ragassay.studies.relevance.statistics import COMBINED, ROWS, of_counts

MODES = CONFORMAL, PAPER = "conformal", "paper"
BUCKETS = 4096
MANY = 5000  # numbers from which a grid is worth it


class CalibrationError(AssayError):
    """These queries cannot calibrate anything."""


def checked(values, alpha: float, what: str = "calibration", confidence: float | None = None) -> np.ndarray:
    """The calibration values as numbers; `what` names them in messages."""
    values = np.asarray(values, np.float64)
    fewest = fewest_for(alpha, confidence)
    if len(values) < fewest:
        sure, lower = ("", "") if confidence is None else (f" with confidence {confidence}", ", lower the confidence,")
        raise CalibrationError(
            f"{what}: found {len(values)} in-knowledge queries, expected at least {fewest}: with fewer, none can be"
            f" rejected at alpha = {alpha}{sure}; add queries{lower} or raise alpha"
        )
    if not np.isfinite(values).all():
        bad = np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(axis=1))
        raise CalibrationError(
            f"{what}: found a score that is no finite number for {len(bad)} of {len(values)} queries, first in row"
            f" {bad[0]}; check the vectors"
        )
    if values.min() == values.max():
        raise CalibrationError(
            f"{what}: found the score {values.max():g} for all {len(values)} queries, expected scores that differ;"
            " does the retriever find anything?"
        )
    return values


def fewest_for(alpha: float, confidence: float | None = None) -> int:
    """How many calibration values there must be before any query can be rejected."""
    if confidence is None:
        return math.ceil(1 / Fraction(str(alpha))) - 1
    return math.ceil(math.log(1 - confidence) / math.log(1 - alpha))  # all n are below the quantile by chance


def numerators(calibration, values, mode: str = CONFORMAL) -> np.ndarray:
    """The p-values times n + 1: whole numbers. Both arrays may have a column for each test: n x k, queries x k."""
    ordered, values = np.sort(np.asarray(calibration, np.float64), axis=0), np.asarray(values, np.float64)
    side = "right" if mode == PAPER else "left"
    places = np.searchsorted(ordered, values, side) if ordered.ndim == 1 else searched(ordered, values, side)
    return len(ordered) + (mode != PAPER) - places


def p_values(calibration, values, mode: str = CONFORMAL) -> np.ndarray:
    """How surprising each value is among in-knowledge queries."""
    return numerators(calibration, values, mode) / (len(calibration) + 1)


def rejected(calibration, values, alpha: float, mode: str = CONFORMAL, confidence: float | None = None) -> np.ndarray:
    """Which values are too high at level alpha: those at or above the critical value."""
    most = allowed(len(calibration), alpha, mode) if confidence is None else kept(len(calibration), alpha, confidence)
    return numerators(calibration, values, mode) <= most


def allowed(n: int, alpha: float, mode: str = CONFORMAL) -> int:
    """The largest numerator that is rejected at level alpha: p is at most alpha, and below it for the paper."""
    share = Fraction(str(alpha)) * (n + 1)
    return int(share) if mode == CONFORMAL else math.ceil(share) - 1


def kept(n: int, alpha: float, confidence: float) -> int:
    """The largest numerator whose rule rejects more than a share alpha of in-knowledge queries with a chance of at most
    1 - confidence. The share that the rule of m rejects is distributed as Beta(m, n + 1 - m), or below with ties.
    """
    from scipy.special import betainc

    m = np.arange(1, allowed(n, alpha) + 1)
    return int((betainc(m, n + 1 - m, alpha) >= confidence).sum())


def false_alarms(n: int, most: int, confidence: float) -> tuple[float, float]:
    """The share of in-knowledge queries that a rule rejects, expected, and at most with this confidence."""
    from scipy.special import betaincinv

    return most / (n + 1), float(betaincinv(most, n + 1 - most, confidence)) if most else 0.0


def critical_value(calibration, alpha: float, mode: str = CONFORMAL) -> float:
    """The lowest number that is rejected at level alpha; infinite if there are too few calibration values."""
    ordered = np.sort(np.asarray(calibration, np.float64))
    place = len(ordered) - allowed(len(ordered), alpha, mode)
    if mode == PAPER:  # of 300 values the 285th: 16 are at least as high
        return float(ordered[place - 1])
    # Of 300 values, 15 are as high as the 286th, which makes its p-value 16 / 301: what is higher is rejected.
    return float(np.nextafter(ordered[place], np.inf)) if place < len(ordered) else np.inf


def combinations(calibration, scores, mode: str = CONFORMAL) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Fisher and Simes of calibration queries and of other queries, from the similarities of both to their k nearest
    passages. The i-th neighbour of a query is compared with the i-th neighbours of calibration queries. The tests of
    neighbours depend on each other, so the statistic gets a calibration of its own: that of calibration queries.
    """
    ordered, side = np.sort(np.asarray(calibration, np.float64), axis=0), "left" if mode == PAPER else "right"
    # A statistic is minus a similarity: as many of them are at least as high as similarities are at most as high.
    own_p = searched(ordered, np.asarray(calibration, np.float64), side) / len(ordered)
    counts = searched(ordered, np.asarray(scores, np.float64), side)
    asked = len(ordered) + 1  # calibration queries and the one that is asked
    p = (np.arange(asked) + (mode != PAPER)) / asked
    return {name: (statistic(own_p), of_counts(name, counts, p)) for name, statistic in COMBINED.items()}


def searched(ordered: np.ndarray, values: np.ndarray, side: str) -> np.ndarray:
    """queries x k: the place of each value in its column of `ordered`, n x k."""
    if values.size < MANY:
        pairs = zip(ordered.T, values.T, strict=True)
        return np.stack([np.searchsorted(column, asked, side) for column, asked in pairs], axis=1)
    width = ordered.shape[1]
    lowest, highest = ordered[0], ordered[-1]
    scale = ((BUCKETS - 1) / np.where(highest > lowest, highest - lowest, 1)).astype(np.float32)
    starts = BUCKETS * np.arange(width, dtype=np.int32)
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
    buckets = (values - lowest).astype(np.float32)
    buckets *= scale
    np.clip(buckets, 0, BUCKETS - 1, out=buckets)
    buckets = buckets.astype(np.int32)
    buckets += starts
    return buckets

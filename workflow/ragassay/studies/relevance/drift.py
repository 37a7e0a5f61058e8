"""Has the traffic drifted? Windows of a query log against a reference, by a statistic of each query in the order of
time, higher = more out of knowledge. `ks` compares one window, as the paper does; of many windows without drift a share
alpha looks drifted all the same. `evidence` sounds the alarm: without drift and dependence it ever does with a chance
of at most alpha. A text counts once in a window and a session with its first query, since what follows is no second
witness. Weekends are compared with weekends, since a rhythm is no drift."""

import math
from typing import NamedTuple

import numpy as np

SIZES = (0.15, 0.4, 0.7)  # of bets: small ones win much from a few extreme p-values
FEWEST_DAYS = 10  # that a simulation puts into another order
SIMULATED, MOST_QUERIES = 200, 4_000_000  # logs, and queries of all of them
TOGETHER = 1024  # values that are ranked at once


class Stream(NamedTuple):
    """Queries in the order of time, all arrays of one length."""

    values: np.ndarray  # of the statistic
    queries: np.ndarray  # numbers; equal ones stand for the same words
    sessions: np.ndarray  # numbers; a query of no session has one of its own
    days: np.ndarray  # numbers, ascending
    weekends: np.ndarray  # whether the day is one of a weekend

    def at(self, places) -> "Stream":
        return Stream(*(column[places] for column in self))

    def witnesses(self, windows: np.ndarray) -> np.ndarray:
        """The places of first queries of sessions with a text that is new among these in their window."""
        places = np.sort(np.unique(self.sessions, return_index=True)[1])
        pairs = np.stack([windows, self.queries])[:, places]
        return places[np.sort(np.unique(pairs, axis=1, return_index=True)[1])]


def alarm(stream: Stream, windows: np.ndarray, before: Stream, alpha: float = 0.05, seed: int = 0) -> "DriftEvidence":
    """The evidence by the witnesses of a stream. Each is ranked among earlier ones of its kind of day, of which those
    in `before`, the reference, come first.
    """
    places = stream.witnesses(windows)
    counted, p_values = stream.at(places), np.empty(len(places))
    for is_weekend in (False, True):
        same, earlier = counted.weekends == is_weekend, before.values[before.weekends == is_weekend]
        p_values[same] = sequential_p_values(earlier, counted.values[same], seed + is_weekend)
    return evidence(p_values, windows[places], alpha, int(windows[-1]) + 1)


def false_alarms(stream: Stream, windows: np.ndarray, alpha: float, seed: int = 0) -> tuple[int, int]:
    """How many of so many logs set off the alarm that have the days of a stream in another order, weekdays and weekends
    each among themselves. Nothing drifts in these, so that more than a share alpha shows queries that depend on each
    other. With few days, there are none.
    """
    days, starts = np.unique(stream.days, return_index=True)
    if len(days) < FEWEST_DAYS:
        return 0, 0
    draw, count = np.random.default_rng(seed), min(SIMULATED, max(20, MOST_QUERIES // len(stream.days)))
    inside, nothing = np.split(np.arange(len(stream.days)), starts[1:]), stream.at(slice(0))
    sounded = 0
    for number in range(count):
        order = np.arange(len(days))
        for is_weekend in (False, True):
            same = stream.weekends[starts] == is_weekend
            order[same] = draw.permutation(order[same])
        shuffled = stream.at(np.concatenate([inside[day] for day in order]))
        sounded += alarm(shuffled, windows, nothing, alpha, seed + number).since is not None
    return sounded, count


class Window(NamedTuple):
    statistic: float  # the largest distance of the two distributions
    critical: float  # what it exceeds with a chance of about alpha
    p_value: float


NO_TEST = Window(0.0, 1.0, 1.0)  # of a window whose queries all go with earlier ones


def ks(reference, window, alpha: float = 0.05) -> Window:
    """The two-sample test of Kolmogorov and Smirnov, two-sided."""
    from scipy.stats import ks_2samp

    reference, window = np.asarray(reference, float), np.asarray(window, float)
    n, m = len(reference), len(window)
    critical = np.sqrt(-np.log(alpha / 2) * (n + m) / (2 * n * m))
    return Window(distance(reference, window), float(critical), float(ks_2samp(reference, window).pvalue))


def ks_p_values(references: np.ndarray, windows: np.ndarray) -> np.ndarray:
    """The exact p-values of the same test for many pairs of samples of one size: pairs x n each."""
    size = references.shape[1]
    together = np.concatenate([references, windows], axis=1)
    order = np.argsort(together, axis=1)
    ordered = np.take_along_axis(together, order, axis=1)
    steps = np.abs(np.cumsum(np.where(order < size, 1, -1), axis=1))
    last = np.diff(ordered, axis=1, append=np.inf) > 0  # of equal values: between them, there is no distance
    return _exact_p_values(size)[np.where(last, steps, 0).max(axis=1)]


def _exact_p_values(size):
    """The chance that the distance of two samples of this size is at least 0, 1, ... in units of 1 / size."""
    total, chances = math.comb(2 * size, size), [1.0]
    for least in range(1, size + 1):
        terms = [(-1) ** at * math.comb(2 * size, size - (at + 1) * least) for at in range(size // least)]
        chances.append(min(1.0, 2 * sum(terms) / total))
    return np.array(chances)


def distance(first, second) -> float:
    """The largest difference of the shares of both samples at or below any value."""
    first, second = np.sort(first), np.sort(second)
    at = np.concatenate([first, second])
    shares = (np.searchsorted(sample, at, side="right") / len(sample) for sample in (first, second))
    return float(np.abs(np.subtract(*shares)).max())


def sequential_p_values(reference, values, seed: int = 0) -> np.ndarray:
    """The p-value of each value among all before it. Of equal values, chance decides which are higher."""
    pool, values = np.sort(np.asarray(reference, float)), np.asarray(values, float)
    p_values, chance = np.empty(len(values)), np.random.default_rng(seed).random(len(values))
    for start in range(0, len(values), TOGETHER):
        part = values[start : start + TOGETHER]
        earlier = np.tri(len(part), k=-1, dtype=bool)
        higher = len(pool) - np.searchsorted(pool, part, side="right")
        equal = np.searchsorted(pool, part, side="right") - np.searchsorted(pool, part, side="left")
        higher = higher + ((part[None] > part[:, None]) & earlier).sum(axis=1)
        equal = equal + ((part[None] == part[:, None]) & earlier).sum(axis=1) + 1  # itself
        before = len(pool) + np.arange(len(part)) + 1
        p_values[start : start + TOGETHER] = (higher + chance[start : start + TOGETHER] * equal) / before
        pool = np.sort(np.concatenate([pool, part]), kind="stable")
    return p_values


class DriftEvidence(NamedTuple):
    """What is known after each window."""

    wealth: np.ndarray  # of a bettor who began with 1; logarithm to base 10
    alarms: np.ndarray  # whether it has ever reached 1 / alpha
    since: int | None  # the window in which the drift that caused the alarm probably began


def evidence(p_values, windows, alpha: float = 0.05, count: int | None = None) -> DriftEvidence:
    """`windows` is the number of each value's window, from 0, ascending; `count` how many there are, if the last may be
    empty.

    Without drift p-values among all earlier queries are independent and uniform (Vovk), so that a bet which pays
    e * p ** (e - 1) is fair, and the wealth reaches 1 / alpha with a chance of at most alpha (Ville's inequality). Bets
    go both ways, on several sizes of e; 1 / (w * (w + 1)) is set aside for a drift that begins with window w.
    """
    p_values, windows = np.asarray(p_values, float), np.asarray(windows, int)
    gains = _log_gains(p_values)  # values x bets
    count = (int(windows[-1]) + 1 if len(windows) else 0) if count is None else count
    bets = np.full(gains.shape[1], -np.inf)  # logarithm of the wealth that is in each
    wealth, alarms, alarm = np.zeros(count), np.zeros(count, bool), None
    for number in range(count):
        share = 1 / ((number + 1) * (number + 2) * gains.shape[1])
        bets = np.logaddexp(bets, np.log(share))
        spare = np.log(1 / (number + 2))  # what is set aside for later windows
        in_bets = bets + np.cumsum(gains[windows == number], axis=0)
        total = np.logaddexp(np.logaddexp.reduce(in_bets, axis=1), spare)
        bets = in_bets[-1] if len(in_bets) else bets
        if alarm is None and (total >= -np.log(alpha)).any():
            alarm = number
        wealth[number] = total[-1] if len(in_bets) else np.logaddexp(np.logaddexp.reduce(bets), spare)
        alarms[number] = alarm is not None
    return DriftEvidence(wealth / np.log(10), alarms, None if alarm is None else _beginning(gains, windows, alarm))


def _log_gains(p_values):
    sizes = np.array(SIZES)
    ends = np.maximum(np.stack([p_values, 1 - p_values], axis=1), np.finfo(float).tiny)
    return (np.log(sizes) + (sizes - 1) * np.log(ends)[:, :, None]).reshape(len(p_values), -1)


def _beginning(gains, windows, alarm):
    """The window from which on the best bet would have won most by the alarm."""
    sums = np.stack([gains[windows == number].sum(axis=0) for number in range(alarm + 1)])
    won = np.cumsum(sums[::-1], axis=0)[::-1]
    return int(np.unravel_index(np.argmax(won), won.shape)[0])

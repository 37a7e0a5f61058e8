"""Drift: held to scipy, to plain loops, and to what they promise about false alarms."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from ragassay.studies.relevance import drift
from ragassay.studies.relevance.drift import Stream


@pytest.mark.parametrize(("n", "m"), [(50, 50), (300, 41), (7, 3), (1, 1)])
def test_ks_is_that_of_scipy_and_of_a_plain_loop(n, m):
    random = np.random.default_rng(n)
    first, second = np.round(random.normal(size=n), 1), np.round(random.normal(0.4, 1, m), 1)  # with ties
    found, known = drift.ks(first, second, 0.05), ks_2samp(first, second)
    assert found.statistic == pytest.approx(known.statistic, abs=1e-12)
    assert found.p_value == pytest.approx(known.pvalue, abs=1e-12)
    plain = max(abs((first <= at).mean() - (second <= at).mean()) for at in [*first, *second])
    assert found.statistic == pytest.approx(plain, abs=1e-12)
    assert found.critical == pytest.approx(np.sqrt(-np.log(0.025) * (1 / n + 1 / m) / 2), abs=1e-12)


@pytest.mark.parametrize("size", [1, 2, 7, 50])
def test_many_pairs_of_one_size_have_the_exact_p_values_of_scipy(size):
    random = np.random.default_rng(size)
    pairs = np.round(random.normal(size=(2, 40, size)) + np.linspace(0, 2, 40)[None, :, None] * [[[0]], [[1]]], 1)
    known = [ks_2samp(first, second, method="exact").pvalue for first, second in zip(*pairs, strict=True)]
    assert drift.ks_p_values(*pairs) == pytest.approx(known, rel=1e-9)


def test_p_values_compare_with_all_before(monkeypatch):
    monkeypatch.setattr(drift, "TOGETHER", 5)
    random = np.random.default_rng(0)
    reference, values = random.integers(0, 6, 4).astype(float), random.integers(0, 6, 23).astype(float)
    chance = np.random.default_rng(3).random(23)
    found = drift.sequential_p_values(reference, values, seed=3)
    pool = list(reference)
    for p, value, own in zip(found, values, chance, strict=True):
        higher, equal = sum(one > value for one in pool), sum(one == value for one in pool)
        assert p == pytest.approx((higher + own * (equal + 1)) / (len(pool) + 1), abs=1e-12)
        pool.append(value)


@pytest.mark.parametrize("seed", range(4))
def test_wealth_alarm_and_beginning_are_those_of_a_plain_loop(seed):
    """In the window 2 there is no value."""
    p_values, windows = np.random.default_rng(seed).random(15) ** (1 + seed), np.repeat([0, 1, 3, 4, 5], 3)
    found = drift.evidence(p_values, windows, 0.5)
    bets, rung = [(size, end) for size in drift.SIZES for end in (0, 1)], None

    def won(size, end, some):
        return np.prod(size * np.abs(end - p_values[some]) ** (size - 1))

    def wealth(last, seen):
        spare = 1 - sum(1 / ((number + 1) * (number + 2)) for number in range(last + 1))
        pairs = [(*bet, first) for bet in bets for first in range(last + 1)]
        parts = (won(size, end, seen & (windows >= first)) / ((first + 1) * (first + 2)) for size, end, first in pairs)
        return spare + sum(parts) / len(bets)

    for at in range(1, 16):  # after each value
        last = windows[at - 1]
        rung = last if rung is None and wealth(last, np.arange(15) < at) >= 2 else rung
        assert found.alarms[last] == (rung is not None) or at % 3
    assert found.alarms[2] == found.alarms[1]
    if rung is not None:
        until = windows <= rung
        sums = {first: max(won(*bet, until & (windows >= first)) for bet in bets) for first in range(rung + 1)}
        assert found.since == max(sums, key=sums.get)
    for last in range(6):
        assert 10 ** found.wealth[last] == pytest.approx(wealth(last, windows <= last), rel=1e-12)


def test_without_drift_alarms_are_rare():
    random, alarms, sizes = np.random.default_rng(5), [], []
    for seed in range(100):
        reference, values = random.normal(size=40), random.normal(size=300)
        own = drift.evidence(drift.sequential_p_values(reference, values, seed), np.repeat(np.arange(30), 10), 0.2)
        alarms.append(own.alarms[-1])
        sizes.append(drift.ks(values[:50], values[50:100]).p_value <= 0.05)
    assert np.mean(alarms) <= 0.2
    assert 0 < np.mean(sizes) <= 0.09


DAYS, A_DAY = 28, 30
COUNT = DAYS * A_DAY
WINDOWS = np.arange(COUNT) // 20


def stream(values, queries=None, sessions=None):
    """The queries of four weeks from a Monday on."""
    alone, days = np.arange(len(values)), np.arange(len(values)) // A_DAY
    columns = (alone if column is None else column for column in (queries, sessions))
    return Stream(np.asarray(values), *columns, days, days % 7 >= 5)


def reference(random, count=100):
    return Stream(random.normal(size=count), *(np.arange(count),) * 3, np.full(count, False))


def in_sessions(random, named=True):
    """Ten queries of a session have much in common."""
    sessions = np.arange(COUNT) // 10
    values = 0.55 * random.normal(size=COUNT)[sessions] + 0.84 * random.normal(size=COUNT)
    return stream(values, sessions=sessions if named else None)


def sent_again(numbers):
    def log(random):
        queries = np.asarray(numbers(random))[:COUNT]
        return stream(random.normal(size=COUNT)[queries], queries)

    return log


QUIET = {
    "independent": lambda random: stream(random.normal(size=COUNT)),
    "a tenth again": sent_again(lambda random: np.cumsum(random.random(COUNT) > 0.1) - 1),
    "a fifth again": sent_again(lambda random: np.cumsum(random.random(COUNT) > 0.2) - 1),
    "each twice": sent_again(lambda _: np.repeat(np.arange(COUNT), 2)),
    "bursts": sent_again(lambda random: np.repeat(np.arange(COUNT), np.where(random.random(COUNT) < 0.01, 20, 1))),
    "sessions": in_sessions,
    "weekends": lambda random: (quiet := stream(random.normal(size=COUNT)))._replace(
        values=quiet.values + quiet.weekends
    ),
}


def alarms(log, trials, change=lambda found, _: found, apart=True):
    """The share of logs that set off the alarm at alpha = .05; unless `apart`, each query is a witness of its own."""
    sounded = []
    for seed in range(trials):
        random = np.random.default_rng(seed)
        asked = change(log(random), random)
        if not apart:
            asked = asked._replace(queries=np.arange(COUNT), sessions=np.arange(COUNT), weekends=np.full(COUNT, False))
        sounded.append(drift.alarm(asked, WINDOWS, reference(random), seed=seed).since is not None)
    return np.mean(sounded)


@pytest.mark.parametrize("name", QUIET)
def test_no_rhythm_and_no_repetition_is_drift(name):
    assert alarms(QUIET[name], 100) <= 0.05
    assert alarms(QUIET[name], 60, apart=False) > 0.07 or name in ("independent", "a tenth again")


@pytest.mark.parametrize("name", QUIET)
def test_a_fifth_of_other_queries_is_drift_in_each_of_these_logs(name):
    def drifting(asked, random):
        late = (np.arange(COUNT) >= COUNT // 2) & (random.random(COUNT) < 0.2)
        return asked._replace(values=asked.values + 4 * late)

    fewer = {"sessions": 0.4}  # of 84 sessions, 42 come after the change
    assert alarms(QUIET[name], 20, drifting) >= fewer.get(name, 0.9)


def test_a_session_counts_once_and_a_text_once_in_each_window():
    asked = stream(np.zeros(7), np.array([0, 1, 0, 0, 1, 1, 2]))
    windows = np.array([0, 0, 0, 1, 1, 1, 1])
    assert asked.witnesses(windows).tolist() == [0, 1, 3, 4, 6]
    grouped = asked._replace(sessions=np.array([0, 1, 1, 1, 2, 2, 0]))
    assert grouped.witnesses(windows).tolist() == [0, 1, 4]


def test_weekends_are_ranked_among_weekends_alone():
    asked = Stream(np.array([5.0, 5.0, 0.0]), *(np.arange(3),) * 3, np.array([False, True, False]))
    before = Stream(np.array([1.0, 2.0, 9.0]), *(np.arange(3),) * 3, np.array([False, False, True]))
    found = drift.alarm(asked, np.zeros(3, int), before)
    days = drift.sequential_p_values([1.0, 2.0], [5.0, 0.0], 0), drift.sequential_p_values([9.0], [5.0], 1)
    p_values = np.array([days[0][0], days[1][0], days[0][1]])
    assert found.wealth == pytest.approx(drift.evidence(p_values, np.zeros(3, int)).wealth)


def test_the_same_days_in_another_order_show_whether_queries_depend_on_each_other():
    random = np.random.default_rng(3)
    for log, sound in ((QUIET["independent"], False), (QUIET["weekends"], False)):
        sounded, count = drift.false_alarms(log(random), WINDOWS, 0.05)
        assert count == 200 and (sounded > 0.1 * count) == sound
    sounded, count = drift.false_alarms(in_sessions(random, named=False), WINDOWS, 0.05)
    assert sounded > 0.3 * count
    few = in_sessions(random, named=False).at(slice(9 * A_DAY))
    assert drift.false_alarms(few, WINDOWS[: 9 * A_DAY], 0.05) == (0, 0)


@pytest.mark.parametrize("shift", [4.0, -3.0])
def test_drift_is_noticed_and_its_beginning_found(shift):
    random = np.random.default_rng(0)
    reference, values = random.normal(size=60), random.normal(size=600)
    values[300:][random.random(300) < 0.5] += shift
    found = drift.evidence(drift.sequential_p_values(reference, values), np.repeat(np.arange(30), 20))
    alarm = int(np.argmax(found.alarms))
    assert 15 <= alarm <= 18 and found.alarms[alarm:].all()
    assert found.since == 15
    assert found.wealth[-1] > 1.3


def test_no_alarm_has_no_beginning():
    found = drift.evidence(np.full(40, 0.5), np.repeat(np.arange(4), 10))
    assert found.since is None and not found.alarms.any()
    assert np.isfinite(drift.evidence(np.array([0.0, 1.0]), np.array([0, 1])).wealth).all()

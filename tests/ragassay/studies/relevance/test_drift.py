"""Drift: held to scipy, to plain loops, and to what they promise about false alarms."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from ragassay.studies.relevance import drift


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
    bets, highest, rung = [(size, end) for size in drift.SIZES for end in (0, 1)], [], None

    def won(size, end, some):
        return np.prod(size * np.abs(end - p_values[some]) ** (size - 1))

    for at in range(1, 16):  # after each value
        last, seen = windows[at - 1], np.arange(15) < at
        wealth = 1 - sum(1 / ((number + 1) * (number + 2)) for number in range(last + 1))
        for size, end in bets:
            for first in range(last + 1):
                wealth += won(size, end, seen & (windows >= first)) / ((first + 1) * (first + 2) * len(bets))
        highest.append(wealth)
        rung = last if rung is None and wealth >= 2 else rung
        assert found.alarms[last] == (rung is not None) or at % 3
    assert found.alarms[2] == found.alarms[1]
    if rung is not None:
        until = windows <= rung
        sums = {first: max(won(*bet, until & (windows >= first)) for bet in bets) for first in range(rung + 1)}
        assert found.since == max(sums, key=sums.get)
    for last in (0, 1, 2, 3, 4, 5):
        wealth = 1 - sum(1 / ((at + 1) * (at + 2)) for at in range(last + 1))
        for size, end in bets:
            for first in range(last + 1):
                inside = p_values[(windows >= first) & (windows <= last)]
                won = np.prod(size * np.abs(end - inside) ** (size - 1))
                wealth += won / ((first + 1) * (first + 2) * len(bets))
        assert 10 ** found.wealth[last] == pytest.approx(wealth, rel=1e-12)


def test_without_drift_alarms_are_rare():
    random, alarms, sizes = np.random.default_rng(5), [], []
    for seed in range(100):
        reference, values = random.normal(size=40), random.normal(size=300)
        own = drift.evidence(drift.sequential_p_values(reference, values, seed), np.repeat(np.arange(30), 10), 0.2)
        alarms.append(own.alarms[-1])
        sizes.append(drift.ks(values[:50], values[50:100]).p_value <= 0.05)
    assert np.mean(alarms) <= 0.2
    assert 0 < np.mean(sizes) <= 0.09


def test_a_query_counts_once_in_each_window():
    found = drift.first_in_window(["a", "b", "a", "a", "b", "b", "c"], [0, 0, 0, 1, 1, 1, 1])
    assert found.tolist() == [True, True, False, True, True, False, True]
    assert drift.first_in_window(["b", "a", "a"], [0, 2, 4]).all()


def each_twice(random):
    return np.repeat(np.arange(200), 2)


def popular(random):
    """A few texts are frequent, and in later windows, too."""
    return (200 ** random.random(400)).astype(int)


def alarms(random, queries, values, reference, counted):
    """Whether the alarm ever rings in a log without drift, at alpha = .05."""
    windows = np.arange(len(queries)) // 20
    counted = drift.first_in_window(queries, windows) if counted else np.full(len(queries), True)
    p_values = drift.sequential_p_values(reference, values[queries][counted], int(random.integers(1 << 32)))
    return drift.evidence(p_values, windows[counted]).alarms[-1]


@pytest.mark.parametrize("log", [each_twice, popular])
def test_repeated_queries_are_no_drift(log):
    random, found = np.random.default_rng(0), {True: [], False: []}
    for _ in range(120):
        queries, values = log(random), np.sort(random.normal(size=400)) if log is popular else random.normal(size=400)
        reference = values[popular(random)][:100] if log is popular else random.normal(size=100)
        for counted, rung in found.items():
            rung.append(alarms(random, queries, values, reference, counted))
    assert np.mean(found[True]) <= 0.05
    assert np.mean(found[False]) > 0.07 or log is popular


def test_new_questions_that_many_people_ask_are_drift():
    random, found = np.random.default_rng(0), []
    for _ in range(20):
        queries, values = np.arange(800), random.normal(size=800)
        queries[400:] = np.where(random.random(400) < 0.2, random.integers(797, 800, 400), queries[400:])
        values[797:] = 3
        found.append(alarms(random, queries, values, random.normal(size=100), True))
    assert np.mean(found) >= 0.8


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

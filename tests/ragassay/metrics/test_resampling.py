"""Draws of clusters and what is read from them."""

import numpy as np
import pytest
from scipy import stats

from ragassay.metrics.panel import Panel
from ragassay.metrics.resampling import draws, interval, share_interval


def test_a_draw_has_as_many_clusters_as_there_are_and_is_that_of_the_generator():
    found = np.concatenate(list(draws(40, 600, 3)))
    assert found.shape == (600, 40) and set(found.sum(axis=1)) == {40} and len(np.unique(found[:, 0])) > 2
    random = np.random.default_rng(3)
    for own in found:
        assert own.tolist() == np.bincount(random.integers(0, 40, 40), minlength=40).tolist()
    assert np.array_equal(found, np.concatenate(list(draws(40, 600, 3))))
    assert not np.array_equal(found, np.concatenate(list(draws(40, 600, 4))))


def test_without_clusters_or_times_nothing_is_drawn():
    assert list(draws(0, 5)) == [] and list(draws(5, 0)) == []


def test_an_interval_ignores_what_is_not_defined():
    assert interval([np.nan, *range(101)]) == pytest.approx((2.5, 97.5))
    assert interval([np.nan, *range(101)], level=0.5) == pytest.approx((25, 75))
    assert interval([np.nan]) == interval([]) == (None, None)


def test_few_clusters_make_an_interval_wider_as_they_do_with_t():
    drawn = np.random.default_rng(0).normal(size=200_000)
    for clusters in (5, 15, 60):
        expected = stats.t.ppf(0.975, clusters - 1) * np.sqrt(clusters / (clusters - 1))
        assert interval(drawn, clusters) == pytest.approx((-expected, expected), rel=0.02)
    assert interval(drawn, 1) == (None, None), "one document says nothing about others"


def test_the_interval_of_a_share_is_wilsons_where_clusters_hold_one_item_each():
    """But for the quantile, which is that of t."""
    items = np.array([1.0] * 12 + [0.0] * 28)
    drawn = np.concatenate(list(draws(40, 20_000))) @ items / 40
    found = share_interval(0.3, drawn, 40, 40)
    level = 2 * stats.norm.cdf(stats.t.ppf(0.975, 39)) - 1
    wilson = stats.binomtest(12, 40).proportion_ci(level, method="wilson")
    assert found == pytest.approx((wilson.low, wilson.high), abs=0.005)


def test_where_all_agree_each_cluster_is_one_item():
    level = 2 * stats.norm.cdf(stats.t.ppf(0.975, 9)) - 1
    for value, hits in ((1.0, 10), (0.0, 0)):
        wilson = stats.binomtest(hits, 10).proportion_ci(level, method="wilson")
        assert share_interval(value, [value] * 50, 10, 300) == pytest.approx((wilson.low, wilson.high))
    assert share_interval(0.5, [0.5] * 50, 10, 40)[0] == pytest.approx(0.332, abs=0.001), "as many as there are items"
    assert share_interval(0.5, [np.nan], 10, 40) == share_interval(0.5, [0.4, 0.6], 1, 4) == (None, None)


def studies(documents, rate, likeness, questions, count):
    """(document of each question, whether it was answered right) of many studies; answers on a document are alike."""
    random = np.random.default_rng(documents)
    for _ in range(count):
        sizes = random.integers(1, 2 * questions, documents)
        rates = random.beta(rate * (1 / likeness - 1), (1 - rate) * (1 / likeness - 1), documents)
        yield np.repeat(np.arange(documents), sizes), random.random(sizes.sum()) < np.repeat(rates, sizes)


@pytest.mark.parametrize(
    ("documents", "rate", "likeness"), [(8, 0.5, 0.2), (15, 0.5, 0.1), (15, 0.9, 0.05), (30, 0.8, 0.1), (30, 0.97, 0.1)]
)
def test_intervals_of_rates_cover_the_truth_as_often_as_they_say(documents, rate, likeness):
    covered = []
    for seed, (owners, right) in enumerate(studies(documents, rate, likeness, 6, 500)):
        row = Panel(owners, 300, seed).mean(right).row()
        covered.append(row["low"] <= rate <= row["high"])
    assert 0.93 <= np.mean(covered) <= 0.985


def test_intervals_of_differences_and_areas_cover_the_truth_as_often_as_they_say():
    """Two methods on 15 documents, of which the second is right more often; scores of normal items, one apart."""
    covered, within, random = [], [], np.random.default_rng(1)
    for seed, (owners, right) in enumerate(studies(15, 0.5, 0.1, 6, 400)):
        better = right | (random.random(len(right)) < 0.3)
        panel = Panel(owners, 300, seed)
        row = panel.difference(better.astype(float) - right).row()
        covered.append(row["low"] <= 0.15 <= row["high"])
        kinds = np.arange(len(owners)) % 2 == 0
        scores = random.normal(size=len(owners)) + kinds + 0.3 * random.normal(size=15)[owners]
        row = panel.auroc(scores, kinds).row()
        within.append(row["low"] <= stats.norm.cdf(1 / np.sqrt(2 * 1.09)) <= row["high"])
    assert 0.92 <= np.mean(covered) <= 0.98 and 0.93 <= np.mean(within) <= 0.99  # .01 of 400 studies is chance

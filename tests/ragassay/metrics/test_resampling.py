"""Draws of clusters, intervals, and rates without the mistakes of their judge: against scipy, plain versions, and what
they promise.
"""

import hashlib

import numpy as np
import pytest
from scipy import stats

from growth import peak
from judging.coverage import covered, studies
from ragassay.metrics import resampling
from ragassay.metrics.paired import flipped, rank_swap
from ragassay.metrics.panel import Panel
from ragassay.metrics.resampling import (
    Judge,
    clopper_pearson,
    corrected,
    corrected_rate,
    difference_interval,
    draws,
    interval,
    share_interval,
    signs,
)


def lanes(purpose, name, times, seed):
    """Splitmix64 in whole numbers of Python, from a hash of the name: four numbers of 16 bits from each of its own."""
    start = int.from_bytes(hashlib.sha256(f"{purpose} {seed} {name}".encode()).digest()[:8], "big")
    for draw in range(times):
        word = (start + (draw // 4 + 1) * 0x9E3779B97F4A7C15) % 2**64
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
        yield (word ^ word >> 31) >> 16 * (draw % 4) & 0xFFFF


def test_weights_are_poissons_of_a_hash_of_cluster_draw_and_seed():
    drawn = np.concatenate(list(draws(["a", "b"], 301, 3)))
    for name, weights in zip("ab", drawn.T, strict=True):
        quantiles = (np.fromiter(lanes("resample", name, 301, 3), float) + 0.5) / 2**16
        assert weights.tolist() == stats.poisson.ppf(quantiles, 1).tolist()
    signed = np.concatenate(list(signs(["a"], 301, 3)))[:, 0]
    assert signed.tolist() == [2 * (lane % 2) - 1 for lane in lanes("sign", "a", 301, 3)]


def test_the_first_outputs_of_splitmix64_are_those_that_are_published():
    """For the state 1234567, on Rosetta Code."""
    words = resampling._mixed(np.uint64(1234567) + np.arange(1, 4, dtype=np.uint64) * resampling.GOLDEN)
    assert words.tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_weights_have_the_mean_and_variance_of_poisson_and_no_two_clusters_or_draws_go_together():
    for drawn, mean in ((draws, 1), (signs, 0)):
        weights = np.concatenate(list(drawn(range(500), 1001, 3)))
        assert weights.mean() == pytest.approx(mean, abs=0.006) and weights.var() == pytest.approx(1, abs=0.01)
        for matrix in (weights, weights.T):
            alike = np.corrcoef(matrix)[np.triu_indices(len(matrix), 1)]
            assert alike.std() == pytest.approx(1 / np.sqrt(matrix.shape[1]), rel=0.03) and abs(alike).max() < 0.3
    assert not np.array_equal(weights, np.concatenate(list(signs(range(500), 1001, 4))))


def test_a_cluster_has_its_weights_whichever_others_there_are_and_however_many_draws():
    whole = np.concatenate(list(draws(["a", "b", "c"], 40)))
    assert np.array_equal(np.concatenate(list(draws(["c", "a"], 30))), whole[:30, [2, 0]])


@pytest.mark.parametrize("numbers", [1, 4 * 333, 333 * 51])
def test_what_is_drawn_does_not_depend_on_how_much_of_it_is_in_memory(numbers, monkeypatch):
    random = np.random.default_rng(5)
    differences, scores, positive = random.integers(-2, 3, (333, 2)), random.random((2, 333)), random.random(333) < 0.4

    def drawn():
        exchanged = rank_swap(*scores, positive, np.arange(333) // 2, 999, 5)
        return np.concatenate(list(draws(range(333), 301, 5))), flipped(differences, range(333), 999, 5), exchanged

    whole = drawn()
    monkeypatch.setattr(resampling, "NUMBERS", numbers)
    assert max(map(len, draws(range(333), 301, 5))) == max(4, numbers // 333 // 4 * 4)
    assert all(np.array_equal(one, other) for one, other in zip(whole, drawn(), strict=True))


def test_draws_of_more_clusters_take_no_more_memory(monkeypatch):
    monkeypatch.setattr(resampling, "NUMBERS", 2**16)
    most = [peak(lambda count=count: max(map(len, draws(range(count), 300)))) for count in (500, 4_000, 16_000)]
    assert max(most) < 1.5 * most[0]


def test_only_draws_that_take_more_memory_than_their_names_stay(monkeypatch):
    monkeypatch.setattr(resampling, "NUMBERS", 2**12)
    resampling._latest.cache_clear()
    for count, times in ((20, 0), (4_000, 1), (100, 4)):
        list(draws([f"d{number}" for number in range(count)], times))
    assert resampling._latest.cache_info().currsize == 0
    kept, again = (list(draws(list("abc"), 9)) for _ in range(2))
    assert kept[0] is again[0] and resampling._latest.cache_info().hits == 1
    with pytest.raises(ValueError, match="read-only"):
        kept[0][0] = 1


def test_names_that_are_equal_but_read_otherwise_have_draws_of_their_own():
    for one, other in (
        (([1], 64, 0), ([True], 64, 0)),
        (([1], 64, 0), ([1.0], 64, 0)),
        ((["a"], 64, 1), (["a"], 64, True)),
    ):
        assert not np.array_equal(*(np.concatenate(list(draws(*drawn))) for drawn in (one, other)))


def test_without_clusters_or_times_nothing_is_drawn():
    assert list(draws([], 5)) == [] and list(draws(range(5), 0)) == []


def test_an_interval_ignores_what_is_not_defined():
    assert interval([np.nan, *range(101)]) == pytest.approx((2.5, 97.5))
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
    weights = np.concatenate(list(draws(range(40), 20_000)))
    found = share_interval(0.3, weights @ items / weights.sum(axis=1), 40, 40)
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


@pytest.mark.parametrize(("clusters", "items", "spread"), [(2, 3, 0.3), (5, 12, 0.2), (5, 12, 0.01), (30, 30, 0.1)])
def test_the_interval_of_a_share_is_wilsons_with_as_many_items_as_vary_like_its_draws(clusters, items, spread):
    value, drawn = 0.3, 0.3 + spread * np.array([-1, 0.5, 1, -0.5, 0])
    size = value * 0.7 / np.mean((drawn - drawn.mean()) ** 2)
    size, t = min(size, items), stats.t.ppf(0.975, clusters - 1)
    middle, half = value + t**2 / (2 * size), t * np.sqrt(value * 0.7 / size + t**2 / (4 * size**2))
    expected = [(middle - half) / (1 + t**2 / size), (middle + half) / (1 + t**2 / size)]
    assert share_interval(value, [*drawn, np.nan], clusters, items) == pytest.approx(expected)


@pytest.mark.parametrize("documents", [8, 15, 30])
def test_intervals_cover_the_truth_as_often_as_they_say(documents):
    """Of 300 studies, .013 is chance."""
    shares = covered(documents, 300, draws=300)
    assert min(shares.values()) >= 0.91 and max(shares.values()) <= 0.995, shares


@pytest.mark.parametrize(("hits", "count"), [(0, 1), (1, 1), (0, 30), (3, 30), (15, 300), (299, 300), (300, 300)])
def test_the_exact_interval_of_a_rate_is_that_of_scipy(hits, count):
    expected = stats.binomtest(hits, count).proportion_ci(0.95, "exact")
    assert clopper_pearson(hits, count) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_nothing_has_no_rate():
    assert clopper_pearson(0, 0) == (None, None)


GOOD = Judge(yes_of_yes=180, yes=200, no_of_no=160, no=200)  # sensitivity .9, specificity .8


@pytest.mark.parametrize("truth", [0.0, 0.1, 0.3, 0.9, 1.0])
def test_what_the_judge_adds_is_taken_away(truth):
    seen = truth * 0.9 + (1 - truth) * 0.2
    assert corrected(seen, 0.9, 0.8) == pytest.approx(truth)


def test_a_judge_without_mistakes_changes_nothing_and_no_rate_leaves_its_range():
    assert corrected(0.37, 1.0, 1.0) == pytest.approx(0.37)
    assert corrected(np.array([0.05, 0.99]), 0.9, 0.8).tolist() == [0, 1]


def test_the_interval_is_as_wide_as_the_delta_method_says():
    rate, n = 0.55, 2000
    value, low, high = corrected_rate(rate, np.random.default_rng(2).binomial(n, rate, 20_000) / n, GOOD)
    parts = [rate * (1 - rate) / n, value**2 * 0.9 * 0.1 / 200, (1 - value) ** 2 * 0.8 * 0.2 / 200]
    assert value == pytest.approx(0.5)
    assert (high - low) / (2 * 1.96) == pytest.approx(np.sqrt(sum(parts)) / 0.7, rel=0.08)


def test_the_doubt_about_a_judge_is_that_of_beta_distributions_with_jeffreys_prior():
    """Of a judge whose specificity is all but sure, and the other way round."""
    sure, few, many = 10**9, np.full(200_000, 0.3), np.full(200_000, 0.7)
    ends = stats.beta.ppf((0.975, 0.025), 8.5, 2.5)
    assert corrected_rate(0.3, few, Judge(8, 10, sure, sure), 1) == pytest.approx((0.375, *(0.3 / ends)), rel=0.01)
    assert corrected_rate(0.3, [np.nan, *few[:50]], Judge(8, 10, sure, sure), 1)[1] < 0.375, (
        "what is undefined is ignored"
    )
    found = corrected_rate(0.7, many, Judge(sure, sure, 8, 10), 1)
    assert found == pytest.approx((0.625, *(1 - 0.3 / ends[::-1])), rel=0.01)


@pytest.mark.parametrize("judge", [Judge(0, 0, 0, 0), Judge(5, 10, 5, 10), Judge(9, 10, 0, 0)])
def test_a_judge_of_whom_nothing_is_known_or_who_guesses_corrects_nothing(judge):
    assert corrected_rate(0.5, [0.5], judge) == (None, None, None)


def test_the_interval_of_a_difference_covers_the_truth_and_knows_the_doubt_about_ends():
    first, second = {"value": 0.6, "low": 0.5, "high": 0.8}, {"value": 0.5, "low": 0.1, "high": 0.6}
    assert difference_interval(first, second) == pytest.approx((0.1 - 0.02**0.5, 0.1 + 0.2**0.5))
    none = {"value": 1.0, "low": None, "high": None}
    assert difference_interval(none, second) == pytest.approx((0.5 - 1.01**0.5, 0.9))
    half = {"value": 1.0, "low": 0.9, "high": None}
    assert difference_interval(half, second) == difference_interval(none, second)
    never = {"value": 0.0, "low": 0.0, "high": 0.1}
    assert difference_interval(never, never) == pytest.approx((-0.1, 0.1)), "no draw differs"
    covered = []
    pairs = zip(studies(12, 0.3, 0.1, 3, 300), studies(20, 0.6, 0.1, 3, 300), strict=True)
    for studied in pairs:
        before, now = (Panel(owners, 200).mean(right).row() for owners, right in studied)
        low, high = difference_interval(now, before)
        covered.append(low <= 0.3 <= high)
    assert np.mean(covered) > 0.92

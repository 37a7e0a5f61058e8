"""Metrics of agreement, areas and paired differences, against other libraries."""

import krippendorff
import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, cohen_kappa_score, roc_auc_score

from ragassay.metrics.agreement import alpha, kappa
from ragassay.metrics.paired import flipped, holm, p_of_flips, rank_swap
from ragassay.metrics.panel import Panel, auroc, precisions
from ragassay.metrics.resampling import signs
from ragassay.metrics.sums import areas


def ratings(seed, items=60, raters=3, labels=3, missing=0.2):
    """items x raters, -1 where somebody said nothing; raters mostly follow a truth."""
    draw = np.random.default_rng(seed)
    truth = draw.integers(0, labels, items)
    said = np.where(draw.random((items, raters)) < 0.7, truth[:, None], draw.integers(0, labels, (items, raters)))
    return np.where(draw.random(said.shape) < missing, -1, said)


def counts(said, labels=3):
    return np.stack([(said == label).sum(axis=1) for label in range(labels)], axis=1)


@pytest.mark.parametrize("seed", range(5))
def test_kappa_is_that_of_scikit_learn(seed):
    first, second, _ = ratings(seed, missing=0).T
    assert kappa(first, second) == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_alpha_is_that_of_krippendorffs_package(seed):
    said = ratings(seed)
    expected = krippendorff.alpha(np.where(said < 0, np.nan, said).T, level_of_measurement="nominal")
    assert alpha(counts(said)) == pytest.approx(expected, abs=1e-12)


def test_a_weight_is_so_many_times_the_item():
    said, weights = ratings(7, missing=0.1), np.random.default_rng(1).integers(0, 4, 60)
    again = np.repeat(said, weights, axis=0)
    assert alpha(counts(said), weights) == pytest.approx(alpha(counts(again)), abs=1e-12)
    first, second, _ = ratings(7, missing=0).T
    repeated = np.repeat(first, weights), np.repeat(second, weights)
    assert kappa(first, second, weights) == pytest.approx(kappa(*repeated), abs=1e-12)


@pytest.mark.parametrize(("first", "second"), [([], []), ([1, 1], [1, 1])])
def test_where_there_is_no_kappa_there_is_none(first, second):
    assert kappa(first, second) is None


@pytest.mark.parametrize("table", [np.zeros((0, 2)), [[1, 0], [0, 1]], [[2, 0], [2, 0]]])
def test_where_there_is_no_alpha_there_is_none(table):
    assert alpha(table) is None


@pytest.mark.parametrize("seed", range(5))
def test_areas_and_precisions_are_those_of_scikit_learn_with_ties_weights_and_resamples(seed):
    random = np.random.default_rng(seed)
    scores, positive, weights = random.integers(0, 9, 80), random.random(80) < 0.3, random.integers(0, 4, (3, 80))
    assert auroc(scores, positive) == pytest.approx(roc_auc_score(positive, scores))
    above, below = (
        np.stack([np.bincount(scores[kind], own[kind], 9) for own in weights]) for kind in (positive, ~positive)
    )
    for metric, theirs in ((areas, roc_auc_score), (precisions, average_precision_score)):
        expected = [theirs(positive, scores, sample_weight=own) for own in weights]
        assert metric(above, below) == pytest.approx(expected, abs=1e-12)
    panel = Panel(np.arange(80), 5, seed)
    found = panel.average_precision(scores, positive)
    assert found.values[0] == pytest.approx(average_precision_score(positive, scores), abs=1e-12)
    draws = np.concatenate(list(panel.draws()))[:, panel.owners]
    drawn = [average_precision_score(positive, scores, sample_weight=own) for own in draws]
    assert found.drawn[:, 0] == pytest.approx(drawn, abs=1e-12)


def test_without_a_positive_item_there_is_none():
    for scores in ([1, 2], []):
        estimates = Panel(range(len(scores))).average_precision(scores, [False] * len(scores))
        assert estimates.row()["value"] is None


FLIPS = 20_000


@pytest.mark.parametrize("seed", range(4))
def test_flipped_signs_give_the_p_of_all_flips(seed):
    differences = np.random.default_rng(seed).integers(-3, 5, 12)
    exact = stats.permutation_test(
        (differences, np.zeros(12)),
        lambda a, b, axis: np.sum(a - b, axis),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=True,
    )
    [found] = p_of_flips(flipped(differences[:, None], range(12), FLIPS))
    assert found == pytest.approx(exact.pvalue, abs=0.015)


def test_no_p_is_zero_and_no_difference_has_none():
    assert p_of_flips(flipped(np.ones((40, 1)), range(40), 99)).tolist() == [0.01]
    assert p_of_flips(flipped(np.zeros((40, 2)), range(40), 99)).tolist() == [1.0, 1.0]


def plain_holm(values):
    found, last = [0.0] * len(values), 0.0
    for done, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        last = max(last, min(1.0, values[place] * (len(values) - done)))
        found[place] = last
    return found


@pytest.mark.parametrize("values", [[0.01, 0.04, 0.03, 0.005], [0.6, 0.9, 0.7], [0.2], [], [0.001] * 3])
def test_holm_by_hand(values):
    assert holm(values).tolist() == pytest.approx(plain_holm(values))


@pytest.mark.parametrize("digits", [0, 1, 9], ids=["mostly ties", "some ties", "no ties"])
def test_the_p_of_exchanged_ranks_is_that_of_areas_computed_again_for_each_exchange(digits):
    random = np.random.default_rng(digits)
    positive, clusters = random.random(60) < 0.4, random.integers(0, 25, 60)
    scores = np.round(random.normal(size=(2, 60)) + [[0.3], [0.9]] * positive, digits)
    names, owners = np.unique(clusters, return_inverse=True)
    ranks = np.stack([stats.rankdata(own) for own in scores])
    found = abs(np.subtract(*(auroc(own, positive) for own in ranks)))
    swapped = np.concatenate(list(signs(names, 300, 7)))[:, owners] < 0
    areas = [[auroc(np.where(row, *pair), positive) for row in swapped] for pair in (ranks, ranks[::-1])]
    expected = (np.abs(np.subtract(*areas)) >= found - 1e-9).sum()
    assert rank_swap(*scores, positive, clusters, 300, 7) == (expected + 1) / 301

"""Paired tests by document and Holm's correction: against exact references."""

import numpy as np
import pytest
from scipy import stats

from ragassay.metrics.paired import holm, rank_swap, sign_flip
from ragassay.metrics.panel import auroc

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
    [found] = sign_flip(differences[:, None], FLIPS)
    assert found == pytest.approx(exact.pvalue, abs=0.015)


def test_no_p_is_zero_and_no_difference_has_none():
    assert sign_flip(np.ones((40, 1)), 99).tolist() == [0.01]
    assert sign_flip(np.zeros((40, 2)), 99).tolist() == [1.0, 1.0]


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
    swapped = np.random.default_rng(7).integers(0, 2, (300, len(names))).astype(bool)[:, owners]
    areas = [[auroc(np.where(row, *pair), positive) for row in swapped] for pair in (ranks, ranks[::-1])]
    expected = (np.abs(np.subtract(*areas)) >= found - 1e-9).sum()
    assert rank_swap(*scores, positive, clusters, 300, 7) == (expected + 1) / 301

"""Paired tests by document and Holm's correction: against exact references."""

import numpy as np
import pytest
from scipy import stats

from ragassay.metrics.auroc import auroc
from ragassay.metrics.paired import holm, rank_swap, sign_flip

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


@pytest.mark.parametrize(("wins", "losses"), [(9, 2), (5, 5), (30, 14), (1, 0)])
def test_one_question_per_document_is_mcnemars_exact_test(wins, losses):
    differences = np.repeat([1, -1, 0], [wins, losses, 50])[:, None]
    exact = stats.binomtest(wins, wins + losses, 0.5).pvalue
    assert sign_flip(differences, FLIPS)[0] == pytest.approx(exact, abs=0.015)


def test_equal_ones_are_called_different_as_seldom_as_promised_also_where_questions_hang_together():
    random = np.random.default_rng(5)
    documents = random.choice([-4, 0, 4], (60, 400))  # all questions of a document go the same way
    assert (sign_flip(documents, 999) <= 0.05).mean() <= 0.08


def test_no_p_is_zero_and_no_difference_has_none():
    assert sign_flip(np.ones((40, 1)), 99).tolist() == [0.01]
    assert sign_flip(np.zeros((40, 2)), 99).tolist() == [1.0, 1.0]


def plain_holm(values):
    found, last = [0.0] * len(values), 0.0
    for done, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        last = max(last, min(1.0, values[place] * (len(values) - done)))
        found[place] = last
    return found


@pytest.mark.parametrize("values", [[0.01, 0.04, 0.03, 0.005], [0.5, 0.5], [0.2], [], [0.001] * 3])
def test_holm_by_hand(values):
    assert holm(values).tolist() == pytest.approx(plain_holm(values))


def test_exchanged_ranks_tell_which_auroc_is_higher():
    random = np.random.default_rng(0)
    items = np.repeat([False, True], 80), np.arange(160) // 2
    positive = items[0]
    weak = random.normal(positive * 0.5)
    strong = random.normal(positive * 2.0) * 1000  # scores of other sizes do not matter, ranks do
    assert rank_swap(strong, weak, *items, 199) == rank_swap(weak, strong, *items, 199) == 1 / 200
    assert rank_swap(weak, weak, *items, 99) == 1
    same = np.array([rank_swap(*random.normal(positive, size=(2, 160)), *items, 99, seed) for seed in range(60)])
    assert 0.3 < same.mean() < 0.7 and (same <= 0.1).mean() < 0.25


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

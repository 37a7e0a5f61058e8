"""AUROC and resampling against an independent implementation."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ragassay.metrics.auroc import Auroc, auroc
from ragassay.metrics.resampling import interval, resamples


@pytest.mark.parametrize("seed", range(5))
def test_it_is_scikit_learns_with_ties_and_weights(seed):
    draw = np.random.default_rng(seed)
    scores, positive, weights = draw.integers(0, 9, 80), draw.random(80) < 0.3, draw.integers(0, 4, 80)
    assert auroc(scores, positive) == pytest.approx(roc_auc_score(positive, scores))
    expected = roc_auc_score(positive, scores, sample_weight=weights)
    assert Auroc(scores, positive)(weights) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("scores", "positive", "wanted"), [([1, 2], [0, 1], 1), ([2, 1], [0, 1], 0), ([1, 1], [0, 1], 0.5)]
)
def test_extremes(scores, positive, wanted):
    assert auroc(scores, positive) == wanted


@pytest.mark.parametrize("positive", [[True, True], [False, False]])
def test_one_kind_alone_has_none(positive):
    assert auroc([1, 2], positive) is None
    assert auroc([], []) is None


def test_a_document_is_drawn_whole():
    found = np.array(list(resamples(["a", "a", "b", "c", "a"], 300)))
    assert (found[:, 0] == found[:, 1]).all() and (found[:, 0] == found[:, 4]).all()
    assert (found[:, [0, 2, 3]].sum(axis=1) == 3).all() and len(np.unique(found[:, 0])) > 2
    again = np.array(list(resamples(["a", "a", "b", "c", "a"], 300)))
    assert np.array_equal(found, again)


def test_an_interval_leaves_out_what_is_not_defined():
    assert interval([None, *range(101)]) == pytest.approx((2.5, 97.5))
    assert interval([None]) == (None, None)

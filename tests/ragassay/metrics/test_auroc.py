"""AUROC against an independent implementation."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ragassay.metrics.auroc import areas, auroc


@pytest.mark.parametrize("seed", range(5))
def test_it_is_that_of_scikit_learn_with_ties_and_weights(seed):
    random = np.random.default_rng(seed)
    scores, positive, weights = random.integers(0, 9, 80), random.random(80) < 0.3, random.integers(0, 4, (3, 80))
    assert auroc(scores, positive) == pytest.approx(roc_auc_score(positive, scores))
    above, below = (
        np.stack([np.bincount(scores[kind], own[kind], 9) for own in weights]) for kind in (positive, ~positive)
    )
    expected = [roc_auc_score(positive, scores, sample_weight=own) for own in weights]
    assert areas(above, below) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("scores", "positive", "wanted"), [([1, 2], [0, 1], 1), ([2, 1], [0, 1], 0), ([1, 1], [0, 1], 0.5)]
)
def test_extremes(scores, positive, wanted):
    assert auroc(scores, positive) == wanted


@pytest.mark.parametrize("positive", [[True, True], [False, False]])
def test_one_kind_alone_has_none(positive):
    assert auroc([1, 2], positive) is None
    assert auroc([], []) is None

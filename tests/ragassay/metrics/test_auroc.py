"""AUROC and average precision against independent implementations."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from ragassay.metrics.panel import Panel, areas, auroc, average_precision, precisions


@pytest.mark.parametrize("seed", range(5))
def test_auroc_is_that_of_scikit_learn_with_ties_and_weights(seed):
    random = np.random.default_rng(seed)
    scores, positive, weights = random.integers(0, 9, 80), random.random(80) < 0.3, random.integers(0, 4, (3, 80))
    assert auroc(scores, positive) == pytest.approx(roc_auc_score(positive, scores))
    above, below = (
        np.stack([np.bincount(scores[kind], own[kind], 9) for own in weights]) for kind in (positive, ~positive)
    )
    expected = [roc_auc_score(positive, scores, sample_weight=own) for own in weights]
    assert areas(above, below) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_average_precision_is_that_of_scikit_learn_with_ties_weights_and_resamples(seed):
    random = np.random.default_rng(seed)
    scores, positive, weights = random.integers(0, 9, 80), random.random(80) < 0.3, random.integers(0, 4, (3, 80))
    assert average_precision(scores, positive) == pytest.approx(average_precision_score(positive, scores), abs=1e-12)
    above, below = (
        np.stack([np.bincount(scores[kind], own[kind], 9) for own in weights]) for kind in (positive, ~positive)
    )
    expected = [average_precision_score(positive, scores, sample_weight=own) for own in weights]
    assert precisions(above, below) == pytest.approx(expected, abs=1e-12)
    panel = Panel(np.arange(80), 5, seed)
    found = panel.average_precision(scores, positive)
    draws = np.concatenate(list(panel.draws()))[:, panel.owners]
    drawn = [average_precision_score(positive, scores, sample_weight=own) for own in draws]
    assert found.drawn[:, 0] == pytest.approx(drawn, abs=1e-12)


def test_without_a_positive_item_there_is_none():
    assert average_precision([1, 2], [False, False]) is None and average_precision([], []) is None

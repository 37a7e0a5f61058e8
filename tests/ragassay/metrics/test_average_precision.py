"""Average precision against an independent implementation."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from ragassay.metrics.average_precision import average_precision, precisions
from ragassay.metrics.panel import Panel


@pytest.mark.parametrize("seed", range(5))
def test_it_is_that_of_scikit_learn_with_ties_weights_and_resamples(seed):
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


@pytest.mark.parametrize(
    ("scores", "positive", "wanted"),
    [([1, 2], [0, 1], 1), ([2, 1], [0, 1], 0.5), ([1, 1], [0, 1], 0.5), ([1, 2], [1, 1], 1)],
)
def test_extremes(scores, positive, wanted):
    assert average_precision(scores, positive) == wanted


def test_without_a_positive_item_there_is_none():
    assert average_precision([1, 2], [False, False]) is None and average_precision([], []) is None

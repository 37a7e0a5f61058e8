"""Calibration: a temperature mends scores that are too sure, and the expected error is the one of the definition."""

import numpy as np
import pytest

from ragassay.models.heads.scores import bins, expected_error, temperature


def test_a_temperature_finds_how_much_too_sure_scores_are():
    draw = np.random.default_rng(0)
    scores = draw.standard_normal(20_000) * 2
    labels = draw.random(20_000) < 1 / (1 + np.exp(-scores))
    assert temperature(scores * 3, labels) == pytest.approx(3, rel=0.05)
    before = expected_error(1 / (1 + np.exp(-3 * scores)), labels)
    after = expected_error(1 / (1 + np.exp(-scores)), labels)
    assert after < 0.02 < before


@pytest.mark.parametrize("labels", [[], [True, True], [False]])
def test_without_both_kinds_there_is_no_temperature(labels):
    assert temperature([1.0] * len(labels), labels) == 1.0


def test_expected_error_by_hand():
    predicted, labels = [0.05, 0.15, 0.15, 0.95, 1.0], [False, True, False, True, True]
    assert bins(predicted).tolist() == [0, 1, 1, 9, 9]
    assert expected_error(predicted, labels) == pytest.approx((0.05 + 2 * 0.35 + 2 * 0.025) / 5)
    assert expected_error([], []) is None

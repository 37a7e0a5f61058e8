"""Rates without their judge's mistakes: the known formula, and its error against the delta method."""

import numpy as np
import pytest

from ragassay.metrics.correction import Judge, corrected, corrected_rate

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


@pytest.mark.parametrize("judge", [Judge(0, 0, 0, 0), Judge(5, 10, 5, 10), Judge(9, 10, 0, 0)])
def test_a_judge_of_whom_nothing_is_known_or_who_guesses_corrects_nothing(judge):
    assert corrected_rate(0.5, [0.5], judge) == (None, None, None)

"""p-values and critical values against plain counting, the size of the tests, and what cannot calibrate anything."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import beta

from ragassay.studies.relevance import calibration
from ragassay.studies.relevance.calibration import CONFORMAL, MODES, PAPER, CalibrationError
from ragassay.studies.relevance.statistics import fisher, simes


def slowly(known, value, mode):
    if mode == PAPER:
        return 1 - (1 + sum(own <= value for own in known)) / (len(known) + 1)
    return (1 + sum(own >= value for own in known)) / (len(known) + 1)


@pytest.fixture
def random():
    return np.random.default_rng(0)


@pytest.mark.parametrize("mode", MODES)
def test_p_values_are_counts(mode, random):
    known, asked = (np.round(random.normal(size=size), 1) for size in (57, 200))  # with ties
    found = calibration.p_values(known, asked, mode)
    np.testing.assert_allclose(found, [slowly(known, value, mode) for value in asked], rtol=0, atol=1e-12)
    columns = calibration.p_values(np.stack([known, -known], axis=1), np.stack([asked, -asked], axis=1), mode)
    np.testing.assert_array_equal(columns[:, 0], found)
    np.testing.assert_array_equal(columns[:, 1], calibration.p_values(-known, -asked, mode))


def test_the_papers_critical_values():
    for n, place in ((300, 285), (200, 190), (299, 285)):
        values = np.random.default_rng(n).permutation(np.arange(1.0, n + 1))
        critical = calibration.critical_value(values, 0.05, PAPER)
        assert critical == place
        share = [Fraction(1 + sum(values <= value), n + 1) for value in (place, place - 1)]
        assert share[0] > Fraction("0.95") >= share[1]
    assert calibration.p_values(np.arange(300.0), [299], PAPER) == 0


@pytest.mark.parametrize("n", [19, 20, 199, 299, 300])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.3])
def test_what_is_at_or_above_the_critical_value_is_rejected(n, mode, alpha, random):
    known = np.round(random.normal(size=n), 2)
    asked = np.concatenate([known, random.normal(size=100)])
    rejected = calibration.rejected(known, asked, alpha, mode)
    np.testing.assert_array_equal(rejected, asked >= calibration.critical_value(known, alpha, mode))
    if mode == CONFORMAL:
        exact = [Fraction(1 + int((known >= value).sum()), n + 1) <= Fraction(str(alpha)) for value in asked]
        np.testing.assert_array_equal(rejected, exact)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("name", "combine"), [("fisher", fisher), ("simes", simes)])
def test_combinations_are_calibrated_by_calibration_queries(name, combine, mode, random):
    drawn = (random.normal(mean, 1, (300, 8)) + random.normal(size=(300, 1)) for mean in (0, 0, -3))
    known, asked, far = (np.round(similarities, 1) for similarities in drawn)  # with ties
    reference, values = calibration.combinations(known, asked, mode)[name]
    p = [[slowly(-known[:, at], -row[at], mode) for at in range(8)] for row in asked]
    np.testing.assert_allclose(values, combine(np.array(p)), rtol=0, atol=1e-9 if mode == PAPER else 1e-12)
    below = np.less if mode == PAPER else np.less_equal
    np.testing.assert_allclose(reference, combine(below(known[None], known[:, None]).mean(axis=1)), atol=1e-12)
    assert 0.02 < calibration.rejected(reference, values, 0.05, mode).mean() < 0.09
    _, higher = calibration.combinations(known, far, mode)[name]
    assert calibration.rejected(reference, higher, 0.05, mode).mean() > 0.5


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.1], "found 1 in-knowledge queries, expected at least 19"),
        ([0.1, np.nan] * 10, "no finite number for 10 of 20 queries, first in row 1"),
        ([0.5] * 20, "found the score 0.5 for all 20 queries"),
        (np.full((20, 3), 0.5), "found the score 0.5 for all 20 queries"),
    ],
)
def test_what_cannot_calibrate_is_refused(values, message):
    with pytest.raises(CalibrationError, match=message) as error:
        calibration.checked(values, 0.05, "queries of ours")
    assert str(error.value).startswith("queries of ours: ") and "\n" not in str(error.value)


def test_sound_values_calibrate():
    np.testing.assert_array_equal(calibration.checked(range(19), 0.05), np.arange(19.0))
    assert calibration.critical_value(np.arange(18.0), 0.05) == np.inf and calibration.fewest_for(0.01) == 99


@pytest.mark.parametrize("side", ["left", "right"])
def test_places_in_many_columns_are_those_of_one(side, random):
    """With ties, a column of one value, outliers, and numbers far outside."""
    ordered = np.sort(np.round(random.normal(size=(60, 5)), 1), axis=0)
    ordered[:, 1], ordered[-1, 2] = 0.5, 1e9
    asked = np.round(random.normal(size=(calibration.MANY // 4, 5)), 1)
    asked[:3] = [[-np.inf] * 5, [np.inf] * 5, ordered[7]]
    expected = [np.searchsorted(ordered[:, at], asked[:, at], side) for at in range(5)]
    assert asked.size >= calibration.MANY
    np.testing.assert_array_equal(calibration.searched(ordered, asked, side), np.stack(expected, axis=1))


@pytest.mark.parametrize(
    "n, alpha, confidence", [(59, 0.05, 0.95), (200, 0.05, 0.95), (600, 0.1, 0.5), (90, 0.03, 0.9)]
)
def test_a_gate_with_confidence_keeps_alpha_itself(n, alpha, confidence, random):
    """A rule that rejects more than the m-th largest of n has a rate that is Beta(m, n + 1 - m)."""
    most = calibration.kept(n, alpha, confidence)
    quantiles = [beta.ppf(confidence, m, n + 1 - m) for m in (most, most + 1)]
    assert quantiles[0] <= alpha < quantiles[1] and most <= calibration.allowed(n, alpha)
    assert calibration.false_alarms(n, most, confidence) == pytest.approx((most / (n + 1), quantiles[0]))
    # Of uniform values, a share 1 - t is above the threshold t.
    known = random.uniform(size=(2000, n))
    rates = np.sort(known, axis=1)[:, n - most]
    assert np.mean(1 - rates > alpha) <= 1 - confidence + 0.02
    asked = random.uniform(size=50)
    for values, threshold in zip(known[:20], rates[:20], strict=True):
        found = calibration.rejected(values, asked, alpha, confidence=confidence)
        np.testing.assert_array_equal(found, asked > threshold)


@pytest.mark.parametrize("alpha, confidence", [(0.05, 0.95), (0.1, 0.9), (0.01, 0.99)])
def test_confidence_takes_more_queries(alpha, confidence):
    fewest = calibration.fewest_for(alpha, confidence)
    assert calibration.kept(fewest, alpha, confidence) == 1 and calibration.kept(fewest - 1, alpha, confidence) == 0
    with pytest.raises(
        CalibrationError, match=f"found {fewest - 1} .* least {fewest}: .* with confidence {confidence}"
    ):
        calibration.checked(np.arange(fewest - 1.0), alpha, confidence=confidence)


def test_a_rule_that_rejects_nothing_raises_no_false_alarm():
    assert calibration.false_alarms(10, 0, 0.95) == (0, 0)

"""Each statistic against a plain loop over queries and passages, and what it does at the ends of its range."""

import math

import numpy as np
import pytest
from scipy import stats

from ragassay.studies.relevance import statistics
from ragassay.studies.relevance.statistics import COMBINED, SIMPLE, TEMPERED, statistic


def slowly(name, row, temperature=1.0):
    """The statistic of one query as the paper writes it."""
    k = len(row)
    if name == "mss":
        return -max(row)
    if name == "knn":
        return -sorted(row, reverse=True)[k - 1]
    if name == "avg_knn":
        return -math.fsum(row) / k
    if name == "energy":
        return -temperature * math.log(math.fsum(math.exp(score / temperature) for score in row))
    total = math.fsum(math.exp(score / temperature) for score in row)
    shares = [math.exp(score / temperature) / total for score in row]
    return -math.fsum(share * math.log(share) for share in shares)


@pytest.fixture
def scores():
    return -np.sort(-np.random.default_rng(0).uniform(-0.2, 0.9, (200, 32)), axis=1)


@pytest.mark.parametrize("temperature", [1.0, 0.05])
@pytest.mark.parametrize("name", SIMPLE)
def test_a_statistic_is_that_of_a_plain_loop(name, temperature, scores):
    if name not in TEMPERED and temperature != 1:
        with pytest.raises(TypeError):
            SIMPLE[name](scores, temperature)
        return
    found = statistic(name, scores, temperature)
    assert found.dtype == np.float64 and found.shape == (200,)
    np.testing.assert_allclose(found, [slowly(name, row, temperature) for row in scores], rtol=0, atol=1e-12)


def test_single_precision_scores_are_taken_as_double(scores):
    """Softmax over cosines is so flat that its entropy differs from log(k) only in late digits."""
    narrow = scores.astype(np.float32)
    np.testing.assert_allclose(statistics.entropy(narrow), statistics.entropy(narrow.astype(np.float64)), atol=1e-13)
    assert (statistics.entropy(scores) < math.log(32)).all()


def test_sums_of_bm25_at_a_low_temperature_do_not_overflow():
    large = np.array([[40.0, 35.0, 0.0]])
    assert statistics.energy(large, 0.01) == -40 and 0 <= statistics.entropy(large, 0.01) < 1e-99


def test_fisher_and_simes_are_scipys():
    p = np.random.default_rng(1).uniform(0.001, 1, (50, 32))
    np.testing.assert_allclose(
        statistics.fisher(p), [stats.combine_pvalues(row, "fisher").statistic for row in p], rtol=1e-12
    )
    loop = [-min(32 * value / rank for rank, value in enumerate(sorted(row), 1)) for row in p]
    np.testing.assert_allclose(statistics.simes(p), loop, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        -statistics.simes(p), [stats.false_discovery_control(row).min() for row in p], rtol=0, atol=1e-12
    )


def test_combinations_rise_as_p_values_fall_even_to_zero():
    p = np.full((2, 4), 0.5)
    p[1, 0] = 0
    for combine in COMBINED.values():
        low, high = combine(p)
        assert np.isfinite([low, high]).all() and high > low

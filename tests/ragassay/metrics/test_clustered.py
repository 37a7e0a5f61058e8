"""Rates with intervals by resampled documents: as slow and independent ways say."""

import numpy as np
import pytest
from scipy import stats

from ragassay.metrics.clustered import drawn_rates, draws, ends, mean, rates, sums


@pytest.fixture
def cells():
    """documents x cells: hits and counts of 40 documents with up to 9 questions each, and none in some cells."""
    random = np.random.default_rng(7)
    counts = random.integers(0, 10, (40, 3))
    return random.binomial(counts, random.beta(2, 2, (40, 1))), counts


def test_sums_are_by_document():
    found = sums(np.array([2, 0, 2]), np.array([[1, 0], [1, 1], [1, 1]], bool), 4)
    assert found.tolist() == [[1, 1], [0, 0], [2, 1], [0, 0]]


def test_a_matrix_product_gives_what_a_loop_over_draws_and_documents_gives(cells):
    hits, counts = cells
    found = drawn_rates(hits, counts, 600, seed=3)
    weights = [weight for part in draws(40, 600, 3) for weight in part]
    slow = [
        [
            sum(w * h for w, h in zip(weight, hits[:, cell], strict=True))
            / sum(w * c for w, c in zip(weight, counts[:, cell], strict=True))
            for cell in range(3)
        ]
        for weight in weights
    ]
    assert len(weights) == 600 and {weight.sum() for weight in weights} == {40}
    assert found == pytest.approx(np.array(slow))


def test_intervals_agree_with_scipys_bootstrap(cells):
    for cell in range(3):
        data = tuple(own[:, cell] for own in cells)
        theirs = stats.bootstrap(
            data,
            lambda hits, counts, axis: hits.sum(axis) / counts.sum(axis),
            paired=True,
            method="percentile",
            n_resamples=4000,
            rng=np.random.default_rng(1),
        ).confidence_interval
        ours = ends(drawn_rates(*cells, 4000)[:, cell])
        assert ours == pytest.approx(tuple(theirs), abs=0.02)


def test_one_question_per_document_has_the_binomial_error_and_repeated_ones_no_smaller():
    single = np.repeat([1.0, 0.0], [60, 140])[:, None]
    error = drawn_rates(single, np.ones_like(single), 4000).std()
    assert error == pytest.approx(np.sqrt(0.3 * 0.7 / 200), rel=0.05)
    assert drawn_rates(5 * single, np.full_like(single, 5), 4000).std() == pytest.approx(error)


def test_nothing_counted_is_not_a_number_and_no_end_of_an_interval():
    assert np.isnan(rates(0, 0)) and rates([1, 0], [2, 0])[0] == 0.5
    drawn = drawn_rates(np.array([[1.0], [0.0]]), np.array([[1.0], [0.0]]), 50)
    assert np.isnan(drawn).any() and ends(drawn[:, 0]) == (1.0, 1.0)
    assert ends([]) == (None, None) and drawn_rates(np.zeros((0, 2)), np.zeros((0, 2)), 5).shape == (0, 2)


def test_a_mean_has_its_interval_and_its_n():
    found = mean(np.array([0, 0, 1, 2]), [1, 0, 1, 1], 3, 5000)
    assert (found["value"], found["n"]) == (0.75, 4) and found["low"] == 0.5 and found["high"] == 1
    assert mean(np.array([], int), [], 3, 500) == {"value": None, "low": None, "high": None, "n": 0}
    assert mean(np.array([0]), [1], 1, 0) == {"value": 1.0, "low": None, "high": None, "n": 1}

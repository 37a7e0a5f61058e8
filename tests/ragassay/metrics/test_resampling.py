"""Draws of clusters and what is read from them."""

import numpy as np
import pytest

from ragassay.metrics.resampling import draws, interval


def test_a_draw_has_as_many_clusters_as_there_are_and_is_that_of_the_generator():
    found = np.concatenate(list(draws(40, 600, 3)))
    assert found.shape == (600, 40) and set(found.sum(axis=1)) == {40} and len(np.unique(found[:, 0])) > 2
    random = np.random.default_rng(3)
    for own in found:
        assert own.tolist() == np.bincount(random.integers(0, 40, 40), minlength=40).tolist()
    assert np.array_equal(found, np.concatenate(list(draws(40, 600, 3))))
    assert not np.array_equal(found, np.concatenate(list(draws(40, 600, 4))))


def test_without_clusters_or_times_nothing_is_drawn():
    assert list(draws(0, 5)) == [] and list(draws(5, 0)) == []


def test_an_interval_ignores_what_is_not_defined():
    assert interval([np.nan, *range(101)]) == pytest.approx((2.5, 97.5))
    assert interval([np.nan, *range(101)], 0.5) == pytest.approx((25, 75))
    assert interval([np.nan]) == interval([]) == (None, None)

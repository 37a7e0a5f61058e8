"""Kappa and alpha: the values of two independent implementations, with weights as with repeated items, and None where
there is no value.
"""

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from ragassay.metrics.agreement import alpha, kappa


def ratings(seed, items=60, raters=3, labels=3, missing=0.2):
    """items x raters, -1 where somebody said nothing; raters mostly follow a truth."""
    draw = np.random.default_rng(seed)
    truth = draw.integers(0, labels, items)
    said = np.where(draw.random((items, raters)) < 0.7, truth[:, None], draw.integers(0, labels, (items, raters)))
    return np.where(draw.random(said.shape) < missing, -1, said)


def counts(said, labels=3):
    return np.stack([(said == label).sum(axis=1) for label in range(labels)], axis=1)


@pytest.mark.parametrize("seed", range(5))
def test_kappa_is_that_of_scikit_learn(seed):
    first, second, _ = ratings(seed, missing=0).T
    assert kappa(first, second) == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_alpha_is_that_of_krippendorffs_package(seed):
    said = ratings(seed)
    expected = krippendorff.alpha(np.where(said < 0, np.nan, said).T, level_of_measurement="nominal")
    assert alpha(counts(said)) == pytest.approx(expected, abs=1e-12)


def test_a_weight_is_so_many_times_the_item():
    said, weights = ratings(7, missing=0.1), np.random.default_rng(1).integers(0, 4, 60)
    again = np.repeat(said, weights, axis=0)
    assert alpha(counts(said), weights) == pytest.approx(alpha(counts(again)), abs=1e-12)
    first, second, _ = ratings(7, missing=0).T
    repeated = np.repeat(first, weights), np.repeat(second, weights)
    assert kappa(first, second, weights) == pytest.approx(kappa(*repeated), abs=1e-12)


@pytest.mark.parametrize(("first", "second"), [([], []), ([1, 1], [1, 1])])
def test_where_there_is_no_kappa_there_is_none(first, second):
    assert kappa(first, second) is None


@pytest.mark.parametrize("table", [np.zeros((0, 2)), [[1, 0], [0, 1]], [[2, 0], [2, 0]]])
def test_where_there_is_no_alpha_there_is_none(table):
    assert alpha(table) is None

"""Outlier detectors: those of scikit-learn as PyOD calls them, COPOD by a plain loop; all find what is far away."""

import numpy as np
import pytest
from scipy.stats import skew
from sklearn.covariance import MinCovDet
from sklearn.decomposition import PCA
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.svm import OneClassSVM

from scripts.relevance import score_outliers


@pytest.fixture
def vectors():
    random = np.random.default_rng(0)
    return random.gamma(2.0, size=(60, 6)), random.gamma(2.0, size=(9, 6))


@pytest.mark.parametrize("name", score_outliers.METHODS)
def test_far_vectors_score_higher_and_fitting_matters(name, vectors):
    fitted, asked = vectors
    score = score_outliers.fit(name, fitted)
    assert score(asked).shape == (9,) and score(asked).std() > 0
    assert (score(asked + 40) > score(asked)).all()
    if name != "copod_together":
        np.testing.assert_allclose(score(asked[:1]), score(asked)[:1], rtol=1e-9)  # whatever is scored beside it
    assert not np.allclose(score_outliers.fit(name, fitted * 3 + 1)(asked), score(asked))


@pytest.mark.parametrize("count", [60, 3])  # of three, each query changes the skewness by much
def test_copod_is_that_of_a_plain_loop(vectors, count):
    fitted, asked = vectors[0][:count], np.random.default_rng(1).gamma(2.0, size=(150, 6))
    fitted[:, 2] = 1.0  # a number that never varies
    expected = []
    for query in asked:
        together, total = np.vstack([fitted, query]), 0.0
        for column, side in zip(together.T, np.sign(np.nan_to_num(skew(together, axis=0))), strict=True):
            left, right = -np.log((column <= column[-1]).mean()), -np.log((column >= column[-1]).mean())
            tails = {1: right, -1: left, 0: left + right}[int(side)]
            total += max(tails, (left + right) / 2)
        expected.append(total)
    np.testing.assert_allclose(score_outliers.fit("copod", fitted)(asked), expected, atol=1e-12)


def test_copod_of_a_batch_counts_all_of_it_as_pyod_does(vectors):
    fitted, asked = vectors
    together = np.vstack([fitted, asked])
    expected = np.zeros(len(asked))
    for column, side in zip(together.T, np.sign(skew(together, axis=0)), strict=True):
        left = np.array([-np.log((column <= value).mean()) for value in column])
        right = np.array([-np.log((column >= value).mean()) for value in column])
        tails = left * -np.sign(side - 1) + right * np.sign(side + 1)
        expected += np.maximum(tails, (left + right) / 2)[len(fitted) :]
    together, alone = (score_outliers.fit(name, fitted)(asked) for name in ("copod_together", "copod"))
    np.testing.assert_allclose(together, expected, atol=1e-12)
    assert not np.allclose(together, alone)


@pytest.mark.filterwarnings("ignore")
def test_with_few_queries_the_robust_covariance_is_the_plain_one():
    """As scikit-learn's, to a factor: then all queries support it."""
    random = np.random.default_rng(1)
    fitted, asked = random.normal(size=(12, 20)), random.normal(size=(5, 20))
    ratios = MinCovDet(random_state=0).fit(fitted).mahalanobis(asked) / score_outliers.fit("mahalanobis", fitted)(asked)
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-6)


@pytest.mark.parametrize("count", [60, 9])
def test_detectors_are_those_of_scikit_learn_with_the_settings_of_pyod(vectors, count):
    fitted, asked = vectors[0][:count], vectors[1]
    expected = {
        "lof": -LocalOutlierFactor(20 if count == 60 else 8, novelty=True).fit(fitted).score_samples(asked),
        "kde": -KernelDensity(bandwidth=1.0, kernel="gaussian").fit(fitted).score_samples(asked),
        "svm": -OneClassSVM(kernel="rbf", nu=0.5, gamma=1 / 6).fit(fitted).decision_function(asked),
        "mahalanobis": MinCovDet(random_state=0).fit(fitted).mahalanobis(asked),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(score_outliers.fit(name, fitted)(asked), values, rtol=1e-9)


@pytest.mark.parametrize("explained", [0.5, 0.9, 0.99])
def test_the_subspace_is_that_of_principal_components(explained):
    random = np.random.default_rng(2)
    passages = random.normal(size=(500, 8)) * np.arange(1, 9) ** 1.5 + 3
    asked = random.normal(size=(5, 8)) * 9
    components = PCA(explained, svd_solver="full").fit(passages)
    apart = asked - components.inverse_transform(components.transform(asked))
    score = score_outliers.subspace(passages.mean(axis=0), passages.T @ passages / 500, explained)
    np.testing.assert_allclose(score(asked), np.linalg.norm(apart, axis=1), rtol=1e-6)

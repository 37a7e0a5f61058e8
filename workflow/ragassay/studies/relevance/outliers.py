"""Outlier detectors on the vectors of queries, which never look at the corpus: what a statistic of the corpus has to
beat. They are PyOD's with its default settings, compared with PyOD 3.6.7 (not needed here: it would bring two
compilers). COPOD scores each query by itself, PyOD all of a call together. `subspace` is the distance from the
corpus's principal components."""

import warnings
from collections.abc import Callable

import numpy as np

from ragassay.studies.relevance.calibration import searched

Score = Callable[[np.ndarray], np.ndarray]


def mahalanobis(fitted: np.ndarray) -> Score:
    """The distance from the mean in units of the robust covariance. With fewer queries than numbers in a vector, the
    robust covariance is the plain one, of all queries, and what lies outside of their span does not count.
    """
    from sklearn.covariance import EmpiricalCovariance, MinCovDet

    count, width = fitted.shape
    support = int(np.ceil((count + width + 1) / 2))
    estimator = EmpiricalCovariance() if support >= count else MinCovDet(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a determinant that rises by rounding
        return estimator.fit(fitted).mahalanobis


def svm(fitted: np.ndarray) -> Score:
    """How far a query is on the wrong side of a one-class support vector machine."""
    from sklearn.svm import OneClassSVM

    estimator = OneClassSVM(gamma="auto").fit(fitted)
    return lambda asked: -estimator.decision_function(asked)


def lof(fitted: np.ndarray) -> Score:
    """The local outlier factor: how much thinner queries are around one than around its neighbours."""
    from sklearn.neighbors import LocalOutlierFactor

    neighbours = min(20, len(fitted) - 1)
    estimator = LocalOutlierFactor(neighbours, novelty=True).fit(fitted)
    return lambda asked: -estimator.score_samples(asked)


def kde(fitted: np.ndarray) -> Score:
    """The negative log density of Gaussians of width 1 around each query."""
    from sklearn.neighbors import KernelDensity

    estimator = KernelDensity().fit(fitted)
    return lambda asked: -estimator.score_samples(asked)


def copod(fitted: np.ndarray) -> Score:
    """How far a query is in the tails of each number: left, right or both, by the skewness of the number."""
    centre, count = fitted.mean(axis=0), len(fitted)
    ordered = np.sort(fitted, axis=0)
    squares, cubes = (((fitted - centre) ** power).sum(axis=0) for power in (2, 3))

    def scored(asked):
        asked = np.asarray(asked, np.float64)
        below = searched(ordered, asked, "right")  # at most as high
        above = count - searched(ordered, asked, "left")  # at least as high
        left, right = (-np.log((part + 1) / (count + 1)) for part in (below, above))
        # The third central moment of the fitted queries and this one, from their sums around the fitted mean.
        apart = asked - centre
        mean = apart / (count + 1)
        skew = np.sign((cubes + apart**3) - 3 * mean * (squares + apart**2) + 2 * (count + 1) * mean**3)
        tails = np.where(skew < 0, left, np.where(skew > 0, right, left + right))
        return np.maximum(tails, (left + right) / 2).sum(axis=1)

    return scored


METHODS = {"mahalanobis": mahalanobis, "svm": svm, "lof": lof, "kde": kde, "copod": copod}


def fit(name: str, fitted: np.ndarray) -> Score:
    """A detector by its name."""
    return METHODS[name](np.asarray(fitted, np.float64))


def subspace(mean: np.ndarray, moments: np.ndarray, explained: float = 0.9) -> Score:
    """The distance from the principal components of the corpus that explain so much of its variance; `moments` is the
    mean product of the passages' vectors.
    """
    values, vectors = np.linalg.eigh(moments - np.outer(mean, mean))
    share = np.cumsum(values[::-1]) / values.sum()
    axes = vectors[:, ::-1][:, : int(np.searchsorted(share, explained)) + 1]

    def scored(asked):
        apart = np.asarray(asked, np.float64) - mean
        return np.linalg.norm(apart - (apart @ axes) @ axes.T, axis=1)

    return scored

"""Tests whether two methods answer the same questions equally well, and a correction for multiple tests.

The test flips signs: if both are equally good, then what one wins over the other on a document could as well be lost
there, whatever the questions of the document have to do with each other. With one question per document this is the
exact form of McNemar's test. For areas under ROC curves see `rank_swap`. The correction is Holm's, which needs no
independence of the tests.
"""

import numpy as np

AT_ONCE = 512  # flips in memory at a time


def sign_flip(differences, flips: int, seed: int = 0) -> np.ndarray:
    """Two-sided p for each column of differences, which are documents x tests; documents without a difference change
    nothing. It is at least 1 / (flips + 1).
    """
    differences = np.asarray(differences, np.float32)  # exact: they are whole numbers
    differences = differences[differences.any(axis=1)]
    found = np.abs(differences.sum(axis=0))
    random, beyond = np.random.default_rng(seed), np.zeros(differences.shape[1], int)
    for start in range(0, flips, AT_ONCE):
        size = (min(AT_ONCE, flips - start), len(differences))
        signs = random.integers(0, 2, size, dtype=np.int8).astype(np.float32) * 2 - 1
        beyond += (np.abs(signs @ differences) >= found).sum(axis=0)
    return (beyond + 1) / (flips + 1)


def holm(values) -> np.ndarray:
    """Values of p as they stand after many tests: each times the number of tests not yet rejected before it."""
    values = np.asarray(values, float)
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    adjusted = np.minimum(np.maximum.accumulate(values[order] * factors), 1)
    return adjusted[np.argsort(order, kind="stable")]

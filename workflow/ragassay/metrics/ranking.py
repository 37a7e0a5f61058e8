"""How well a ranking finds relevant items: recall, nDCG and the reciprocal rank, for each query.

As trec_eval counts them: gains are the grades themselves, discounted by the logarithm of the rank; items missing from
the ranking are not found. The caller orders equal scores and takes means and intervals.
"""

import numpy as np


def grades(ranking: list[list[str]], relevant: list[dict[str, int]]) -> tuple[np.ndarray, np.ndarray]:
    """The grades of what each query found, best first, and those of all that is relevant to it, highest first: both
    queries x ranks, filled up with zeros.
    """
    found = [[max(own.get(name, 0), 0) for name in names] for names, own in zip(ranking, relevant, strict=True)]
    ideal = [sorted((grade for grade in own.values() if grade > 0), reverse=True) for own in relevant]
    return _filled(found), _filled(ideal)


def recall(found: np.ndarray, ideal: np.ndarray, depth: int) -> np.ndarray:
    """The share of what is relevant that is among the first `depth`."""
    return _ratio((found[:, :depth] > 0).sum(axis=1), (ideal > 0).sum(axis=1))


def ndcg(found: np.ndarray, ideal: np.ndarray, depth: int) -> np.ndarray:
    """The discounted gain of the first `depth`, as a share of the best that there could be."""
    return _ratio(_gain(found[:, :depth]), _gain(ideal[:, :depth]))


def reciprocal_rank(found: np.ndarray) -> np.ndarray:
    """One by the rank of the first that is relevant; 0 if there is none."""
    if not found.shape[1]:
        return np.zeros(len(found))
    first = np.argmax(found > 0, axis=1)
    return np.where((found > 0).any(axis=1), 1 / (first + 1), 0.0)


def _gain(grades):
    return grades @ (1 / np.log2(np.arange(2, grades.shape[1] + 2)))


def _ratio(part, whole):
    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)


def _filled(rows):
    filled = np.zeros((len(rows), max(map(len, rows), default=0)))
    for place, row in enumerate(rows):
        filled[place, : len(row)] = row
    return filled

"""Few vectors in two clusters, and how alike texts are: what defences that group passages stand on."""

import numpy as np

STARTS, STEPS = 10, 100


def two_means(vectors: np.ndarray, seed: int) -> np.ndarray:
    """The cluster of each vector, 0 or 1, by k-means: the best of several starts, each from two of the vectors."""
    random, best, labels = np.random.default_rng(seed), np.inf, np.zeros(len(vectors), int)
    for _ in range(STARTS if len(vectors) > 1 else 0):
        centres = vectors[random.choice(len(vectors), 2, replace=False)]
        own = None
        for _ in range(STEPS):
            distances = ((vectors[:, None] - centres[None]) ** 2).sum(axis=2)
            before, own = own, distances.argmin(axis=1)
            if before is not None and (own == before).all():
                break
            centres = np.stack(
                [vectors[own == one].mean(axis=0) if (own == one).any() else centres[one] for one in (0, 1)]
            )
        cost = distances.min(axis=1).sum()
        if cost < best:
            best, labels = cost, own
    return labels


def mean_similarity(vectors: np.ndarray) -> float:
    """The mean cosine of all pairs; nothing for less than two."""
    if len(vectors) < 2:
        return float("nan")
    above = np.triu_indices(len(vectors), 1)
    return (vectors @ vectors.T)[above].mean()


def rouge_l(first: list[str], second: list[str]) -> float:
    """F of the longest common subsequence of words, by bits: see Hyyro's algorithm."""
    if not first or not second:
        return 0.0
    places = {}
    for at, word in enumerate(first):
        places[word] = places.get(word, 0) | 1 << at
    every = (1 << len(first)) - 1
    row = every
    for word in second:
        found = row & places.get(word, 0)
        row = (row + found | row - found) & every
    common = len(first) - row.bit_count()
    return 2 * common / (len(first) + len(second))

"""RAGDefender, after its paper: how many of the passages are planted is estimated first, then which.

Passages are put into two clusters by their vectors (Ward's linkage). The words that weigh most by TF-IDF in all
passages together are what planted texts insist on: if most passages have more than half of them, the larger cluster is
held for planted, else the smaller one. Of the most similar pairs, as many as the planted ones would have among
themselves, each gives its similarity squared to both of its passages; as many passages are removed as that cluster
has, those that were given most, since planted texts say the same thing.

Of its package (`ragdefender` 0.2.0) this is the way for questions of one step, and words count as they do there: where
their small letters stand in a text, so that names with a capital do not, and where they are part of others. The
benchmark holds one beside the other.
"""

from collections import Counter

import numpy as np

from ragassay.studies.poisoning.defences.judgement import Criterion, Judgement
from ragassay.text.words import content

SETTINGS = {"words": 5}
NEEDS = ("vectors",)
TIES = 1e-6  # what the mean similarity counts, which orders those that no pair gives anything


def judge(passages, settings):
    """The score is what the most similar pairs give a passage; ties go by its mean similarity."""
    if len(passages) < 3:
        return [Judgement(False, 0.0)] * len(passages)
    vectors = np.stack([passage["vector"] for passage in passages])
    similarity = vectors @ vectors.T
    count = planted(passages, similarity, settings["words"])
    scores = insistence(similarity, count)
    limit = np.sort(scores)[-count]
    order = np.argsort(-scores, kind="stable")
    removed = set(order[:count].tolist())
    return [
        Judgement(at in removed, float(score), "insistent" if at in removed else None,
                  (Criterion("insistence", float(score), float(limit)),))
        for at, score in enumerate(scores)
    ]  # fmt: skip


def planted(passages, similarity, words: int) -> int:
    """How many of the passages are held for planted."""
    labels = ward(similarity)
    sizes = sorted(int((labels == one).sum()) for one in (0, 1))
    insistent = _insistent(passages, words)
    return sizes[1] if insistent > len(passages) / 2 else sizes[0]


def insistence(similarity, count: int) -> np.ndarray:
    """What as many of the most similar pairs as `count` passages have give each passage."""
    first, second = np.triu_indices(len(similarity), 1)
    values = similarity[first, second].astype(float)
    chosen = np.argsort(-values, kind="stable")[: max(1, count * (count - 1) // 2)]
    given, both = np.sign(values[chosen]) * values[chosen] ** 2, np.concatenate([first[chosen], second[chosen]])
    others = (similarity.sum(axis=1) - np.diag(similarity)) / (len(similarity) - 1)
    return np.bincount(both, np.concatenate([given, given]), len(similarity)) + others * TIES


def ward(similarity) -> np.ndarray:
    """The cluster of each item, 0 or 1: those two are joined whose union is least spread, until two are left.
    `similarity` is that of vectors of length 1.
    """
    groups, sizes = [[at] for at in range(len(similarity))], np.ones(len(similarity))
    costs = 1 - similarity.astype(float)  # what joining two groups adds to the sum of squares
    np.fill_diagonal(costs, np.inf)
    while len(groups) > 2:
        one, other = sorted(np.unravel_index(costs.argmin(), costs.shape))
        apart = (sizes[one] + sizes) * costs[one] + (sizes[other] + sizes) * costs[other]
        joined = (apart - sizes * costs[one, other]) / (sizes[one] + sizes[other] + sizes)
        costs[one], costs[:, one] = joined, joined
        costs[one, one] = np.inf
        costs = np.delete(np.delete(costs, other, axis=0), other, axis=1)
        sizes[one] += sizes[other]
        sizes = np.delete(sizes, other)
        groups[one] += groups.pop(other)
    labels = np.zeros(len(similarity), int)
    labels[groups[-1]] = 1
    return labels


def _insistent(passages, words):
    """How many passages have more than half of the words that weigh most."""
    texts = [passage["text"] for passage in passages]
    rows = [Counter(word for word in content(text.lower()) if len(word) > 1) for text in texts]
    spread = Counter(word for row in rows for word in row)
    rarity = {word: np.log((1 + len(rows)) / (1 + count)) + 1 for word, count in spread.items()}
    weights = Counter()
    for row in rows:
        own = {word: count * rarity[word] for word, count in row.items()}
        length = np.sqrt(sum(value**2 for value in own.values())) or 1.0
        weights.update({word: value / length for word, value in own.items()})
    top = [word for word, _ in sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:words]]
    return sum(sum(word in text for word in top) > len(top) / 2 for text in texts)

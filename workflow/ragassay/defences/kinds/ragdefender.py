"""RAGDefender, as far as its paper describes it: how many of the passages are planted is estimated first, then
which.

Passages are put into two clusters by how similar their vectors are (average linkage). The words that weigh most by
TF-IDF in all passages together are what planted texts insist on: if most passages have more than half of them, the
larger cluster is held for planted, else the smaller one. As many passages are removed as that has: those that stand
in most of the most similar pairs, since planted texts say the same thing. Its package is not used here.
"""

from collections import Counter

import numpy as np

from ragassay.defences.judgement import Criterion, Judgement
from ragassay.text.words import content, stem

SETTINGS = {"words": 5}
NEEDS = ("vectors",)


def judge(passages, settings):
    """The score is the share of the most similar pairs that a passage stands in; ties go by its mean similarity."""
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
    labels = average_linkage(similarity)
    sizes = sorted(int((labels == one).sum()) for one in (0, 1))
    insistent = _insistent(passages, words)
    return sizes[1] if insistent > len(passages) / 2 else sizes[0]


def insistence(similarity, count: int) -> np.ndarray:
    """Of as many pairs as `count` passages have, the most similar ones: how many each passage stands in."""
    first, second = np.triu_indices(len(similarity), 1)
    pairs = max(1, count * (count - 1) // 2)
    chosen = np.argsort(-similarity[first, second], kind="stable")[:pairs]
    often = np.bincount(np.concatenate([first[chosen], second[chosen]]), minlength=len(similarity))
    others = (similarity.sum(axis=1) - np.diag(similarity)) / (len(similarity) - 1)
    return often / pairs + others * 1e-3


def average_linkage(similarity) -> np.ndarray:
    """The cluster of each item, 0 or 1: the two with the highest mean similarity are joined until two are left."""
    groups = [[at] for at in range(len(similarity))]
    means = similarity.astype(float).copy()
    np.fill_diagonal(means, -np.inf)
    while len(groups) > 2:
        one, other = sorted(np.unravel_index(means.argmax(), means.shape))
        sizes = len(groups[one]), len(groups[other])
        joined = (means[one] * sizes[0] + means[other] * sizes[1]) / sum(sizes)
        means[one], means[:, one] = joined, joined
        means[one, one] = -np.inf
        means = np.delete(np.delete(means, other, axis=0), other, axis=1)
        groups[one] += groups.pop(other)
    labels = np.zeros(len(similarity), int)
    labels[groups[-1]] = 1
    return labels


def _insistent(passages, words):
    """How many passages have more than half of the words that weigh most."""
    rows = [Counter(map(stem, content(passage["text"]))) for passage in passages]
    spread = Counter(word for row in rows for word in row)
    weights = Counter()
    for row in rows:
        length = row.total() or 1
        for word, count in row.items():
            weights[word] += count / length * (np.log((1 + len(rows)) / (1 + spread[word])) + 1)
    top = {word for word, _ in sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:words]}
    return sum(len(top & row.keys()) > len(top) / 2 for row in rows)

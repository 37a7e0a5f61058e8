"""RAGDefender, after its paper and its package 0.2.0. For questions of one step (`single_hop`), passages form two
clusters by their vectors (Ward): if most have more than half of the words that weigh most by TF-IDF, the larger cluster
is assumed to be planted, else the smaller. For those of several steps (`multi_hop`), as many are assumed to be planted
as lie closer to the others than most do. As many passages are removed: those whose most similar pairs give most, by
their squared similarities."""

from collections import Counter

import numpy as np

from ragassay.studies.poisoning.defences.defence import VECTORS, Criterion, Defence, Judgement
from ragassay.text.words import content

SINGLE, MULTI = "single_hop", "multi_hop"  # questions whose answer stands in one passage, or in several
TIES = 1e-6  # what the mean similarity counts, which orders those that no pair gives anything


class Kind(Defence):
    SETTINGS = {"hops": SINGLE, "words": 5}
    NEEDS = (VECTORS,)
    CHOICES = {"hops": (SINGLE, MULTI)}

    def judge(self, passages):
        """The score is what the most similar pairs give a passage; ties go by its mean similarity."""
        if len(passages) < 3:
            return [Judgement(False, 0.0)] * len(passages)
        vectors = np.stack([passage["vector"] for passage in passages])
        similarity = vectors @ vectors.T
        if self.settings["hops"] == MULTI:
            count = concentrated(similarity)
        else:
            count = planted([passage["text"] for passage in passages], similarity, self.settings["words"])
        scores = insistence(similarity, count)
        limit = float(np.sort(scores)[-count]) if count else float("inf")
        removed = set(np.argsort(-scores, kind="stable")[:count].tolist())
        judgements = []
        for at, score in enumerate(scores.tolist()):
            reason = "insistent" if at in removed else None
            judgements.append(Judgement(bool(reason), score, reason, (Criterion("insistence", score, limit),)))
        return judgements


def planted(texts, similarity, words: int) -> int:
    """How many of the passages are assumed to be planted."""
    sizes = np.sort(np.bincount(ward(similarity), minlength=2))
    return int(sizes[1] if _insistent(texts, words) > len(texts) / 2 else sizes[0])


def concentrated(similarity) -> int:
    """The same for questions of several steps, as in the package: how many passages have a mean or a median similarity
    above that of all, or all others, unless the median of the medians is above the mean.
    """
    means, medians = similarity.mean(axis=0), _middle(similarity)
    mean, median = means.mean(), _middle(medians)
    above = int(np.sum((means > mean) | (medians > (median + mean) / 2)))
    return above if above and mean < median else len(similarity) - above


def _middle(values):
    """The median along the first axis; of an even number, the lower one of both in the middle."""
    return np.sort(values, axis=0)[(len(values) - 1) // 2]


def insistence(similarity, count: int) -> np.ndarray:
    """What as many of the most similar pairs as `count` passages have give each passage."""
    first, second = np.triu_indices(len(similarity), 1)
    values = similarity[first, second].astype(float)
    chosen = np.argsort(-values, kind="stable")[: max(1, count * (count - 1) // 2)]
    given = np.sign(values[chosen]) * values[chosen] ** 2
    both = np.concatenate([first[chosen], second[chosen]])
    others = (similarity.sum(axis=1) - np.diag(similarity)) / (len(similarity) - 1)
    return np.bincount(both, np.concatenate([given, given]), len(similarity)) + others * TIES


def ward(similarity) -> np.ndarray:
    """The cluster of each item, 0 or 1, by Ward's linkage; `similarity` is that of vectors of length 1."""
    from scipy.cluster.hierarchy import fcluster, linkage  # a quarter of a second, which other kinds do not need

    distances = np.sqrt(2 * np.maximum(1 - similarity.astype(float), 0))
    return fcluster(linkage(distances[np.triu_indices(len(similarity), 1)], "ward"), 2, "maxclust") - 1


def _insistent(texts, words):
    """How many passages have more than half of the words that weigh most."""
    rows = [Counter(word for word in content(text.lower()) if len(word) > 1) for text in texts]
    spread = Counter(word for row in rows for word in row)
    rarity = {word: np.log((1 + len(rows)) / (1 + count)) + 1 for word, count in spread.items()}
    weights = Counter()
    for row in rows:
        weighted = {word: count * rarity[word] for word, count in row.items()}
        length = np.sqrt(sum(value**2 for value in weighted.values())) or 1.0
        weights.update({word: value / length for word, value in weighted.items()})
    top = [word for word, _ in sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))[:words]]
    return sum(sum(word in text for word in top) > len(top) / 2 for text in texts)

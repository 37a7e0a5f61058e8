"""TrustRAG's first stage, without a model: of two clusters of vectors, one whose members are very alike is removed, and
of the others those that share much of their wording (ROUGE-L above `rouge`). `similarity` is the mean cosine from which
a cluster is removed; the published .88 belongs to its `encoder` and is by default a quantile of clean queries, whose
vectors are the retriever's. All passages that are looked at form the clusters, not the first k."""

import math

import numpy as np

from ragassay.base.card import is_number
from ragassay.base.terminal import shown
from ragassay.search.nearest import unit
from ragassay.studies.poisoning.defences.defence import VECTORS, Criterion, Defence, DefenceError, Judgement
from ragassay.studies.poisoning.defences.thresholds import is_rough
from ragassay.text.words import tokens

LARGEST = 1.001  # of cosines that were rounded
STARTS, STEPS = 10, 100  # of k-means


class Kind(Defence):
    SETTINGS = {"encoder": None, "similarity": None, "rouge": 0.25, "alpha": 0.05, "seed": 0, "poisoned_null": None}
    NEEDS = (VECTORS,)
    IS_FITTED = True

    def damage(self):
        limit, published = self.fitted.get("threshold"), self.settings["similarity"]
        if not is_number(limit) or abs(limit) > LARGEST or self.fitted.keys() - {"threshold", "texts", "rough"}:
            return f"found the threshold {shown(self.fitted)}, expected a number between -1 and 1"
        if published is not None and limit != published:
            return f"found the threshold {limit}, expected the setting similarity, {shown(published)}"
        shares = self.settings["rouge"], self.settings["alpha"]
        return super().damage() or ("" if max(shares) <= 1 else f"found rouge and alpha {shares}, expected shares")

    def fit(self, null):
        if self.settings["similarity"] is not None:
            self.fitted = {"threshold": self.settings["similarity"]}
            return self
        alpha = self.settings["alpha"]
        values = np.array([max(self._clusters(rows)[1]) for rows in null.found.values() if len(rows) > 1])
        if len(values) < (least := math.ceil(1 / alpha)):
            raise DefenceError(
                f"trustrag: found {len(values)} calibration queries, expected at least {least} for alpha {alpha}; add"
                " some, raise alpha, or set similarity"
            )
        limit = float(np.quantile(values, 1 - alpha))
        self.fitted = {"threshold": limit, "texts": len(values), "rough": is_rough(len(values), alpha)}
        return self

    def judge(self, passages):
        """The score is how alike the passages of its cluster are."""
        limit, most = self.fitted["threshold"], self.settings["rouge"]
        labels, similarities = self._clusters(passages)
        words = [tokens(passage["text"].lower()) for passage in passages]
        shared = np.array([[rouge_l(first, second) for second in words] for first in words])
        np.fill_diagonal(shared, 0)
        is_wordy = shared.max() > most
        judgements = []
        for at, label in enumerate(labels):
            alike, wording = similarities[label], float(shared[at][labels == label].max())
            dense = is_wordy and alike >= limit
            pruned = is_wordy and not dense and wording > most
            reason = "dense cluster" if dense else "shared wording" if pruned else None
            criteria = (Criterion("cluster", alike, limit), Criterion("rouge", wording, most))
            judgements.append(Judgement(bool(dense or pruned), alike, reason, criteria))
        return judgements

    def _clusters(self, passages):
        """The cluster of each passage, and the mean cosine in both."""
        vectors = np.stack([passage["vector"] for passage in passages])
        spread = vectors.std(axis=0)
        standard = (vectors - vectors.mean(axis=0)) / np.where(spread > 0, spread, 1)
        labels = two_means(unit(standard), self.settings["seed"])
        return labels, [mean_similarity(vectors[labels == label]) for label in (0, 1)]


def two_means(vectors: np.ndarray, seed: int) -> np.ndarray:
    """The cluster of each vector, 0 or 1, by k-means: the best of several starts, each from two of the vectors."""
    random = np.random.default_rng(seed)
    best, labels = np.inf, np.zeros(len(vectors), int)
    for _ in range(STARTS if len(vectors) > 1 else 0):
        centres = vectors[random.choice(len(vectors), 2, replace=False)]
        nearest = None
        for _ in range(STEPS):
            distances = ((vectors[:, None] - centres[None]) ** 2).sum(axis=2)
            before, nearest = nearest, distances.argmin(axis=1)
            if before is not None and (nearest == before).all():
                break
            for label in (0, 1):
                if (nearest == label).any():
                    centres[label] = vectors[nearest == label].mean(axis=0)
        cost = distances.min(axis=1).sum()
        if cost < best:
            best, labels = cost, nearest
    return labels


def mean_similarity(vectors: np.ndarray) -> float:
    """The mean cosine of all pairs; 0 for less than two."""
    if len(vectors) < 2:
        return 0.0
    return float((vectors @ vectors.T)[np.triu_indices(len(vectors), 1)].mean())


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
        matches = row & places.get(word, 0)
        row = (row + matches | row - matches) & every
    common = len(first) - row.bit_count()
    return 2 * common / (len(first) + len(second))

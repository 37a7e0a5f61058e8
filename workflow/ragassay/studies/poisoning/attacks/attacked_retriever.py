"""A retriever by vectors as an attacker sees it who has its weights: how near texts are to questions, and how to bring
them nearer.
"""

import hashlib
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ragassay.models.encoders.embed import Embedder, tokenized, vectors
from ragassay.models.encoders.encoder import Encoder
from ragassay.search.nearest import comparable
from ragassay.studies.poisoning.attacks.drafts import Draft, Drafter
from ragassay.studies.poisoning.attacks.hotflip import Climbed, HotFlip


class Cluster(NamedTuple):
    """Questions that are alike: their places, that in the middle first, and the mean of their vectors."""

    members: list[int]
    centre: np.ndarray


class AttackedRetriever:
    def __init__(self, encoder: dict, query_encoder: dict, embeddings, similarity: str):
        self.encoder, self.similarity = Encoder(**encoder), similarity
        self.of_passages = Embedder(self.encoder, embeddings)
        self.of_queries = Embedder(Encoder(**query_encoder), embeddings)

    @property
    def identity(self) -> dict:
        """Everything that texts which are optimised against it follow from."""
        prefixes = {"passage": self.encoder.prefix("passage"), "query": self.of_queries.encoder.prefix("query")}
        own = {"passages": self.encoder.identity, "queries": self.of_queries.encoder.identity}
        return own | {"prefixes": prefixes, "similarity": self.similarity}

    @property
    def kind(self):
        return self.of_passages.kind

    @cached_property
    def _hotflip(self):
        return HotFlip(self.kind, Drafter(self.kind, self.encoder.prefix("passage")), self.similarity)

    def questions(self, texts: list[str]) -> np.ndarray:
        """A vector for each question, to be compared with those of passages."""
        return comparable(self.of_queries.embed(texts, "query"), self.similarity)

    def clusters(self, questions: list[str], count: int, seed: int) -> list[Cluster]:
        """Questions by k-means over their vectors, the largest cluster first."""
        from sklearn.cluster import KMeans

        vectors, found = self.questions(questions), []
        labels = KMeans(count, n_init=10, random_state=seed).fit(vectors).labels_
        for number in range(count):
            members = np.flatnonzero(labels == number)
            centre = vectors[members].mean(0)
            order = np.argsort(-(vectors[members] @ centre), kind="stable")
            found.append(Cluster(members[order].tolist(), centre))
        return sorted(found, key=lambda cluster: (-len(cluster.members), cluster.members))

    def passages(self, texts: list[str]) -> np.ndarray:
        """A vector for each passage; nothing is stored, since most of these texts are dropped again."""
        tokens = tokenized(self.kind, [self.encoder.prefix("passage") + text for text in texts])
        result = [None] * len(texts)
        for batch, rows in vectors(self.kind, tokens):
            for at, row in zip(batch, comparable(rows, self.similarity), strict=True):
                result[at] = row
        return np.array(result)

    def stored(self, texts: list[str]) -> np.ndarray:
        """The same for passages that stay: searches have stored those of the corpus, and find what is stored here."""
        return comparable(self.of_passages.embed(texts, "passage"), self.similarity)

    def draft(self, front: str, tail: str = "", count: int | None = None) -> Draft:
        return self._hotflip.drafter.draft(front, tail, count)

    def climb(self, drafts: list[Draft], directions, steps: int, candidates: int, seed: str) -> list[Climbed]:
        """Drafts brought nearer to directions, one each; `seed` may be any text, such as the target's id."""
        number = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:7], "big")
        directions = np.ascontiguousarray(np.broadcast_to(directions, (len(drafts), np.shape(directions)[-1])))
        return self._hotflip.climb(drafts, directions.astype(np.float32), steps, candidates, [number])

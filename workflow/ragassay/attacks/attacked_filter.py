"""A defence as an attacker sees it who can ask it: would it remove this passage, among what the question finds?

`passes` and `beside` are all that an attack uses of a filter: anything with these can stand in for a fitted guard.
"""

import hashlib
from pathlib import Path

import numpy as np

from ragassay.defences import defence
from ragassay.defences.guard import Guard


class AttackedFilter:
    """A fitted guard; `scorer` is the folder or the entry of the model that it scores texts with, if it does. It
    compares a text with so many `beside` it.
    """

    def __init__(self, path, scorer=None):
        self.guard, self.identity = Guard.load(path, scorer), hashlib.sha256(Path(path).read_bytes()).hexdigest()
        self.beside = self.guard.depth - 1 if defence.compares(self.guard.kind) else 0

    def passes(self, question: str, texts: list[str], vectors: np.ndarray, wanted: np.ndarray, beside: list[dict]):
        """Whether it would leave each text, if that were planted alone. `vectors` are those of the texts, `wanted` that
        of the question; `beside` is what the question finds otherwise, with text, score and vector.
        """
        similarities = vectors @ wanted
        if not self.beside:
            found = self.guard(question, texts, similarities, vectors)
            return np.array([not one.removed for one in found])
        others, scores = [one["text"] for one in beside], [one["score"] for one in beside]
        passed = []
        for text, similarity, vector in zip(texts, similarities, vectors, strict=True):
            rows = np.array([vector, *(one["vector"] for one in beside)])
            passed.append(not self.guard(question, [text, *others], [similarity, *scores], rows)[0].removed)
        return np.array(passed)

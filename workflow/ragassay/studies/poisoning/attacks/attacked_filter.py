"""A defence as an attacker sees it who can ask it: would it remove this passage, among what the question finds? It
answers by the very thresholds that judge this question later, those that other questions gave.

`passes` and `beside` are all that an attack uses of a filter: anything with these can stand in for a fitted guard.
"""

import copy
import hashlib
from pathlib import Path

import numpy as np

from ragassay.studies.poisoning.defences import defence, guard_file
from ragassay.studies.poisoning.defences.guard import Guard
from ragassay.studies.poisoning.defences.null import fold_of


class AttackedFilter:
    """A fitted guard; `scorer` is the folder or the entry of the model that it scores texts with, if it does. It
    compares a text with so many `beside` it.
    """

    def __init__(self, path, scorer=None):
        self.guard, self.identity = Guard.load(path, scorer), hashlib.sha256(Path(path).read_bytes()).hexdigest()
        self.beside = self.guard.depth - 1 if defence.compares(self.guard.kind) else 0
        self._by_fold = {}

    def of(self, question: str) -> Guard:
        """The guard with the thresholds of a question's fold."""
        fold = fold_of(question)
        if fold not in self._by_fold:
            self._by_fold[fold] = copy.copy(self.guard)
            self._by_fold[fold].settings = guard_file.settings(self.guard.card, fold)
        return self._by_fold[fold]

    def passes(self, question: str, texts: list[str], vectors: np.ndarray, wanted: np.ndarray, beside: list[dict]):
        """Whether it would leave each text, if that were planted alone. `vectors` are those of the texts, `wanted` that
        of the question; `beside` is what the question finds otherwise, with text, score and vector.
        """
        similarities, guard = vectors @ wanted, self.of(question)
        if not self.beside:
            found = guard(question, texts, similarities, vectors)
            return np.array([not one.removed for one in found])
        others, scores = [one["text"] for one in beside], [one["score"] for one in beside]
        passed = []
        for text, similarity, vector in zip(texts, similarities, vectors, strict=True):
            rows = np.array([vector, *(one["vector"] for one in beside)])
            passed.append(not guard(question, [text, *others], [similarity, *scores], rows)[0].removed)
        return np.array(passed)

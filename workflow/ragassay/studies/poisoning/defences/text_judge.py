"""A fitted defence outside of tables: it judges texts as a search gives them, and scores them itself."""

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ragassay.base.errors import packages
from ragassay.studies.poisoning.defences import guard_card
from ragassay.studies.poisoning.defences.defence import SCORES, VECTORS, DefenceError, Judgement
from ragassay.studies.poisoning.defences.scorer import Surprise, SurpriseScorer, surprises
from ragassay.studies.poisoning.defences.thresholds import ALL
from ragassay.text.characters import visible


class TextJudge:
    """`depth` says how many texts a question should find for it; threads may share it."""

    def __init__(self, path, guard: dict, scorer: SurpriseScorer | None = None):
        self.path, self.kind, self.depth, self.card = path, guard["kind"], guard["depth"], guard
        self.defences = {fold: guard_card.defence_of(guard, fold) for fold in guard["fitted"]}
        self.defence, self._scorer, self._lock = self.defences[ALL], scorer, threading.Lock()

    @classmethod
    def load(cls, path, scorer=None):
        """`scorer` is the folder of a scorer that was trained here, or the entry of a language model, such as
        {"model": "gpt2"}; nothing for a defence that needs no scores.
        """
        guard = guard_card.read(path)
        with packages(f"{path}: its scorer"):
            judge = cls(path, guard, _opened(path, scorer, guard["scored_by"] or {}))
            identity = judge._scorer.identity if judge._scorer else None
        if SCORES in judge.needs:
            if identity is None:
                raise DefenceError(
                    f"{path}: found no scorer, expected {guard['scorer']}, which its thresholds come from"
                )
            guard_card.check_identity(path, f"scorer {scorer}", identity, guard["scored_by"] or {})
        return judge

    @property
    def needs(self) -> tuple[str, ...]:
        """Scores, which it computes, and vectors, which the search has to give."""
        return self.defence.needs

    @property
    def own_encoder(self) -> str | None:
        """The name of the encoder whose vectors it compares, if that is not the encoder of the search."""
        links = [link["settings"] for link in self.defence.settings.get("of", [])] or [self.defence.settings]
        return next(filter(None, (settings.get("encoder") for settings in links)), None)

    def judge(
        self,
        question: str,
        texts: Sequence[str],
        similarities: ArrayLike,
        vectors: np.ndarray | None = None,
        fold: str = ALL,
    ) -> list[Judgement]:
        """One judgement for each text, best first, by the thresholds of a fold of queries. `vectors` are those of the
        texts, as the encoder of the search gives them, for a defence that groups texts.
        """
        asked = visible(question)
        rows = [
            {"question": asked, "text": visible(text), "score": float(score), "target_id": None, "rank": rank}
            for rank, (text, score) in enumerate(zip(texts, similarities, strict=True), 1)
        ]
        if SCORES in self.needs:
            for row, scores in zip(rows, self.surprises(texts), strict=True):
                row["scores"] = scores._asdict()
        if vectors is not None:
            lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
            for row, vector in zip(rows, vectors / lengths, strict=True):
                row["vector"] = vector
        elif VECTORS in self.needs:
            whose = self.own_encoder or "the search"
            raise DefenceError(f"{self.path}: found no vectors, which {self.kind} compares; give those of {whose}")
        return self.defences[fold].judge(rows) if rows else []

    def surprises(self, texts: Sequence[str]) -> list[Surprise]:
        """How surprising texts are to its scorer, read as at its fitting."""
        with self._lock:
            halves = [self._scorer.half(text) for text in texts]
            return list(surprises(self._scorer, texts, halves, **self.card["reading"]))


def _opened(path, scorer, fitted):
    """A scorer; a language model reads as much of a text in the same numbers as at the fitting."""
    if scorer is None:
        return None
    if isinstance(scorer, dict) and "model" in scorer:
        from ragassay.studies.poisoning.defences.scorers import causal

        settings = {key: fitted.get(key) or value for key, value in causal.Kind.SETTINGS.items()}
        options = {key: fitted[key] for key in ("dtype", "revision") if fitted.get(key)}
        entry = scorer | {"options": options | scorer.get("options", {})}
        return causal.Kind(f"scorer of {path}", entry, **settings)
    if not isinstance(scorer, str | Path):
        raise DefenceError(f"{path}: found the scorer {scorer!r}, expected a folder, or an entry with a model")
    from ragassay.studies.poisoning.defences.scorers import ngram

    return ngram.Kind.load(Path(scorer))

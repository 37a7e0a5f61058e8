"""A fitted defence in a service: it judges the texts that a search found for a question, and knows nothing of tables.

    from ragassay import Guard

    guard = Guard.load("guards/raguard.json", scorer="scorers/ngram", encoder={"model": "models/minilm"})
    judgements = guard(question, texts, similarities)

It is the very defence that was measured, with the thresholds of all calibration queries. The search has to be that of
the fitting: the same encoder, and similarities as it gives them. A scorer or an encoder with other files is refused.
"""

from collections.abc import Sequence
from numbers import Real
from pathlib import Path
from typing import Any, Self, overload

import numpy as np
from numpy.typing import ArrayLike

from ragassay.search.nearest import COSINE
from ragassay.studies.poisoning.defences import guard_card
from ragassay.studies.poisoning.defences.defence import SCORES, DefenceError, Judgement
from ragassay.studies.poisoning.defences.text_judge import TextJudge
from ragassay.text.characters import SURROGATE

LARGEST_COSINE = 1.001  # of vectors that were rounded


class Guard(TextJudge):
    @classmethod
    def load(
        cls,
        path: str | Path,
        scorer: str | Path | dict[str, Any] | None = None,
        encoder: dict[str, Any] | None = None,
        query_encoder: dict[str, Any] | None = None,
    ) -> Self:
        """`scorer` is the folder of a scorer that was trained here, or the entry of a language model, such as
        {"model": "gpt2"}; nothing for a guard that needs no scores. `encoder` is that of the search, as an entry of the
        configuration, and `query_encoder` another one for questions: both are only compared with those of the fitting.
        """
        guard = super().load(path, scorer)
        if encoder is not None:
            entries = {guard_card.PASSAGE: encoder, guard_card.QUERY: query_encoder or encoder}
            _check_encoders(path, entries, guard.card)
        return guard

    @overload
    def __call__(
        self, question: str, texts: Sequence[str], similarities: ArrayLike, vectors: ArrayLike | None = None
    ) -> list[Judgement]: ...
    @overload
    def __call__(
        self,
        question: list[str] | tuple[str, ...],
        texts: Sequence[Sequence[str]],
        similarities: Sequence[ArrayLike],
        vectors: Sequence[ArrayLike] | None = None,
    ) -> list[list[Judgement]]: ...
    def __call__(self, question: Any, texts: Any, similarities: Any, vectors: Any = None) -> Any:
        """One judgement for each text, best first. `vectors` are those of the texts, as the encoder of the search gives
        them, for a guard that groups texts. Given a list of questions, with a list of texts and one of similarities for
        each, it gives a list for each.
        """
        if isinstance(question, list | tuple):
            parts = [question, texts, similarities, [None] * len(question) if vectors is None else vectors]
            if any(not isinstance(part, list | tuple | np.ndarray) or len(part) != len(question) for part in parts):
                raise DefenceError(
                    f"{self.path}: found {len(question)} questions, expected texts and similarities of each"
                )
            return [self(*of_one) for of_one in zip(*parts, strict=True)]
        if wrong := self._wrong(question, texts, similarities, vectors):
            raise DefenceError(f"{self.path}: {wrong}")
        return self.judge(question, texts, similarities, None if vectors is None else matrix(self.path, vectors))

    def warm_up(self) -> Self:
        """Score one text, so that the first question does not wait for anything that is loaded late."""
        if SCORES in self.needs:
            self.surprises(["Is anybody there?"])
        return self

    def keep(
        self, question: str, texts: Sequence[str], similarities: ArrayLike, k: int, vectors: ArrayLike | None = None
    ) -> list[str]:
        """The first k texts that are left; none if all are removed: then search deeper, or do not answer."""
        if k < 1:
            raise DefenceError(f"{self.path}: found k {k}, expected at least 1")
        judgements = self(question, texts, similarities, vectors)
        return [text for text, judgement in zip(texts, judgements, strict=True) if not judgement.removed][:k]

    def _wrong(self, question, texts, similarities, vectors):
        """What is wrong with a text to be judged, or ""."""
        if not isinstance(question, str):
            return f"found {question!r} as question, expected a text"
        if wrong := wrong_texts(texts):
            return wrong
        if not hasattr(similarities, "__len__"):
            return f"found {similarities!r} as similarities, expected one for each text"
        if not len(texts) == len(similarities) == len(texts if vectors is None else vectors):
            return f"found {len(texts)} texts and {len(similarities)} similarities, expected one for each"
        largest = LARGEST_COSINE if self.card["similarity"] == COSINE else np.inf
        for number, score in enumerate(similarities, 1):
            if not isinstance(score, Real) or not np.isfinite(score) or abs(score) > largest:
                return (
                    f"found {score!r} as similarity {number}, expected a number as the search of its fitting gives"
                    f" ({self.card['retriever']}, {self.card['similarity']})"
                )
        return ""


def _check_encoders(path, entries, card):
    """Refuse encoders of a search that are not those of the fitting."""
    if not card["encoders"]:
        raise DefenceError(f"{path}: found an encoder, but it was fitted with {card['retriever']}, which has none")
    if wrong := [entry for entry in entries.values() if "model" not in entry]:
        raise DefenceError(f"{path}: found the encoder {wrong[0]!r}, expected an entry such as {{'model': 'folder'}}")
    roles = {role: {"name": f"of {path}", "kind": fitted["kind"]} for role, fitted in card["encoders"].items()}
    identities = guard_card.encoders({role: roles[role] | entry for role, entry in entries.items()})
    for role, entry in entries.items():
        name = f"{role} encoder {entry['model']}"
        guard_card.check_identity(path, name, identities[role], card["encoders"][role])


def wrong_texts(texts) -> str:
    """What is wrong with a list of texts, or ""."""
    if isinstance(texts, str):
        return "found one text, expected a list of texts"
    if not hasattr(texts, "__len__"):
        return f"found {type(texts).__name__} as texts, expected a list of texts"
    for number, text in enumerate(texts, 1):
        if not isinstance(text, str):
            return f"found {text!r} as text {number}, expected a text"
        if SURROGATE.search(text):
            return f"found half a character in text {number}, expected a text; read its file as UTF-8"
    return ""


def matrix(path, vectors, what: str = "vectors") -> np.ndarray:
    """Vectors of one length, as a search gives them."""
    try:
        rows = np.asarray(vectors, np.float32)
    except (TypeError, ValueError):
        rows = np.empty(0)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise DefenceError(f"{path}: found {what} that are no rows of numbers, expected rows of one length")
    return rows

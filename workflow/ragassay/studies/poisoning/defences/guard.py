"""A fitted defence in a service: it judges the texts that a search found for a question, and knows nothing of tables.

    guard = Guard.load("guards/raguard.json", scorer="scorers/ngram", encoder={"model": "models/minilm"})
    judgements = guard(question, texts, similarities)

It is the very defence that was measured, with the thresholds of all calibration queries. The search has to be that of
the fitting: the same encoder, and similarities as it gives them. A scorer or an encoder with other files is refused.
"""

import re
import threading
from numbers import Real
from pathlib import Path

import numpy as np

from ragassay.search.nearest import COSINE
from ragassay.studies.poisoning.defences import defence, guard_file, provenance
from ragassay.studies.poisoning.defences.judgement import Judgement
from ragassay.studies.poisoning.defences.null import ALL, DefenceError
from ragassay.studies.poisoning.defences.scorer import surprises
from ragassay.text.visible import visible

SURROGATE = re.compile("[\ud800-\udfff]")  # what Python has for bytes that were no UTF-8
LARGEST_COSINE = 1.001  # of vectors that were rounded


class Guard:
    """`depth` says how many texts a question should find for it; threads may share it."""

    def __init__(self, path, card: dict, scorer=None):
        self.path, self.kind, self.depth, self.card = path, card["kind"], card["depth"], card
        self.settings = guard_file.settings(card, ALL)
        self._scorer, self._lock = scorer, threading.Lock()

    @classmethod
    def load(cls, path, scorer=None, encoder: dict | None = None, query_encoder: dict | None = None) -> "Guard":
        """`scorer` is the folder of a scorer that was trained here, or the entry of a language model, such as
        {"model": "gpt2"}; nothing for a guard that needs no scores. `encoder` is that of the search, as an entry of the
        configuration, and `query_encoder` another one for questions: both are only compared with those of the fitting.
        """
        card = guard_file.read(path)
        missing = defence.module(card["kind"]).SETTINGS.keys() - card["settings"].keys()
        if missing or (defence.is_fitted(card["kind"]) and not card["fitted"][ALL]):
            what = f"the setting {min(missing)!r}" if missing else "thresholds"
            raise DefenceError(f"{path}: found a guard without {what}, so it is damaged; fit it again")
        guard = cls(path, card, _opened(path, scorer, card["scored_by"]))
        if defence.SCORES in guard.needs:
            if guard._scorer is None:
                raise DefenceError(
                    f"{path}: found no scorer, expected {card['scorer']}, which its thresholds come from"
                )
            provenance.check(path, f"scorer {scorer}", guard._scorer.identity, card["scored_by"])
        if encoder is not None:
            _compare(path, {provenance.PASSAGE: encoder, provenance.QUERY: query_encoder or encoder}, card)
        return guard

    @property
    def needs(self) -> tuple[str, ...]:
        """Scores, which it computes, and vectors, which the search has to give."""
        return defence.needs(self.kind, self.settings)

    def __call__(self, question: str, texts: list[str], similarities, vectors=None) -> list[Judgement]:
        """One judgement for each text, best first. `vectors` are those of the texts, as the encoder of the search gives
        them, for a guard that groups texts.
        """
        if wrong := self._wrong(question, texts, similarities, vectors):
            raise DefenceError(f"{self.path}: {wrong}")
        if defence.VECTORS in self.needs and vectors is None:
            raise DefenceError(f"{self.path}: found no vectors, which {self.kind} compares; give those of the search")
        rows = [
            {
                "question": visible(question),
                "text": visible(text),
                "score": float(score),
                "target_id": None,
                "rank": rank,
            }
            for rank, (text, score) in enumerate(zip(texts, similarities, strict=True), 1)
        ]
        if defence.SCORES in self.needs:
            for row, scores in zip(rows, self.surprises(texts), strict=True):
                row["scores"] = scores._asdict()
        for row, vector in zip(rows, [] if vectors is None else self._unit(vectors), strict=vectors is not None):
            row["vector"] = vector
        return defence.judge(self.kind, rows, self.settings) if rows else []

    def _unit(self, vectors):
        found = matrix(self.path, vectors)
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)

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

    def keep(self, question: str, texts: list[str], similarities, k: int, vectors=None) -> list[str]:
        """The first k texts that are left; none if all are removed: then search deeper, or do not answer."""
        if k < 1:
            raise DefenceError(f"{self.path}: found k {k}, expected at least 1")
        judgements = self(question, texts, similarities, vectors)
        return [text for text, own in zip(texts, judgements, strict=True) if not own.removed][:k]

    def surprises(self, texts: list[str]) -> list:
        """How surprising texts are to its scorer, read as at its fitting."""
        with self._lock:
            halves = [self._scorer.half(text) if hasattr(self._scorer, "half") else 0 for text in texts]
            return list(surprises(self._scorer, texts, halves, **self.card["reading"]))


def _opened(path, scorer, fitted):
    """A scorer; a language model reads as much of a text in the same numbers as at the fitting."""
    if isinstance(scorer, dict) and "model" in scorer:
        from ragassay.studies.poisoning.defences.scorers.causal import SETTINGS, Scorer

        own = {key: fitted.get(key) or value for key, value in SETTINGS.items()}
        options = {key: fitted[key] for key in ("dtype", "revision") if fitted.get(key)}
        return Scorer(f"scorer of {path}", scorer | {"options": options | scorer.get("options", {})}, **own)
    if scorer is None:
        return None
    if not isinstance(scorer, str | Path):
        raise DefenceError(f"{path}: found the scorer {scorer!r}, expected a folder, or an entry with a model")
    from ragassay.studies.poisoning.defences.scorers.ngram import Scorer

    return Scorer.load(Path(scorer))


def _compare(path, entries, card):
    """Encoders of a search with those of the fitting."""
    if not card["encoders"]:
        raise DefenceError(f"{path}: found an encoder, but it was fitted with {card['retriever']}, which has none")
    if wrong := [entry for entry in entries.values() if "model" not in entry]:
        raise DefenceError(f"{path}: found the encoder {wrong[0]!r}, expected an entry such as {{'model': 'folder'}}")
    about = {role: {"name": f"of {path}", "kind": fitted["kind"]} for role, fitted in card["encoders"].items()}
    found = provenance.encoders({role: about[role] | entry for role, entry in entries.items()})
    for role, entry in entries.items():
        provenance.check(path, f"{role} encoder {entry['model']}", found[role], card["encoders"][role])


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
        found = np.asarray(vectors, np.float32)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.ndim != 2 or not np.isfinite(found).all():
        raise DefenceError(f"{path}: found {what} that are no rows of numbers, expected rows of one length")
    return found

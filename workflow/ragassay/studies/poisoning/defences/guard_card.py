"""A fitted defence on disk: a JSON file with what it is, what it was fitted on and with, and what came of that, for
each fold of queries and for queries of tomorrow. With it, texts are judged as a search gives them, without tables.

It was fitted with a scorer and the encoders of a search, which the card knows by digests of their files and all else
that changes what they compute. Others give other scores, which its thresholds say nothing about.
"""

import threading
from pathlib import Path

import numpy as np

from ragassay.base import card
from ragassay.models.encoders.encoder import Encoder
from ragassay.studies.poisoning.defences import defence
from ragassay.studies.poisoning.defences.defence import SCORES, VECTORS, Defence, DefenceError, Judgement
from ragassay.studies.poisoning.defences.scorer import SPLITS, Surprise, SurpriseScorer, surprises
from ragassay.studies.poisoning.defences.thresholds import ALL, FOLDS
from ragassay.text.characters import visible

PASSAGE, QUERY = "passage", "query"  # the roles of texts in a search
READING = {"way": str, "least": int, "window": int}  # how texts are split for their scores
EVERY_FOLD = (ALL, *map(str, range(FOLDS)))


def _is_reading(value) -> bool:
    is_right = isinstance(value, dict) and {name: type(part) for name, part in value.items()} == READING
    return is_right and value["way"] in SPLITS


def _are_encoders(value) -> bool:
    of_roles = value.values() if isinstance(value, dict) else [value]
    return value is None or all(isinstance(part, dict) and "kind" in part for part in of_roles)


def _are_fitted(value) -> str:
    is_right = isinstance(value, dict) and all(isinstance(part, dict) for part in value.values())
    missing = sorted(set(EVERY_FOLD) - value.keys()) if is_right else ["any"]
    return f"found no thresholds for fold {missing[0]}, expected all" if missing else ""


FORM = card.Form(
    "guard",
    2,
    {
        "kind": str, "settings": dict, "depth": card.positive("a number of passages"), "retriever": str,
        "encoders": card.expected("encoders by the role of texts", _are_encoders), "similarity": str, "scorer": str,
        "scored_by": dict | None, "reading": card.expected(", ".join(READING), _is_reading), "fitted": _are_fitted,
    },
    "fit it again",
    DefenceError,
)  # fmt: skip


def write(path, about: dict, fitted: dict[str, dict]) -> None:
    card.write(path, FORM, about | {"fitted": fitted}, indent=None)


def read(path) -> dict:
    """The card, if every fold can be judged by it."""
    guard = card.read(path, FORM)
    for fold in EVERY_FOLD:
        if wrong := defence.damage_of(guard, guard["fitted"][fold]):
            raise DefenceError(f"{path}: {wrong}, so the guard is damaged; fit it again")
    return guard


def defence_of(guard: dict, fold: str) -> Defence:
    """The fitted defence for the queries of a fold."""
    return defence.kind_of(guard["kind"])(guard["settings"], guard["fitted"][fold])


def place(path) -> tuple[str, str, str]:
    """Dataset, retriever and defence of a guard, as its path says."""
    path = Path(path)
    return path.parts[-3], path.parts[-2], path.stem


def check(path, guard: dict, **wanted) -> None:
    """Refuse to judge scores of another scorer or what another retriever found."""
    for name, value in wanted.items():
        if guard[name] != value:
            raise DefenceError(
                f"{path}: found the {name} {value!r}, but it was fitted with {guard[name]!r}; fit it with that, too"
            )


def check_identity(path, what: str, identity: dict, fitted: dict) -> None:
    """Refuse a scorer or an encoder that is not the one of the fitting."""
    card.check_identity(path, FORM, what, identity, fitted)


def encoders(entries: dict[str, dict]) -> dict[str, dict]:
    """Role -> what the encoder is that reads texts in it; entries are those of the configuration, with names."""
    identities = {}
    for role, entry in entries.items():
        same = [other for other in identities if entries[other] == entry]  # whose files need not be read again
        encoder = Encoder(**entry)
        identity = identities[same[0]] if same else encoder.identity | {card.ELSEWHERE: encoder.local.commit}
        identities[role] = identity | {"prefix": encoder.prefix(role)}
    return identities


class TextJudge:
    """`depth` says how many texts a question should find for it; threads may share it."""

    def __init__(self, path, guard: dict, scorer: SurpriseScorer | None = None):
        self.path, self.kind, self.depth, self.card = path, guard["kind"], guard["depth"], guard
        self.defences = {fold: defence_of(guard, fold) for fold in guard["fitted"]}
        self.defence, self._scorer, self._lock = self.defences[ALL], scorer, threading.Lock()

    @classmethod
    def load(cls, path, scorer=None):
        """`scorer` is the folder of a scorer that was trained here, or the entry of a language model, such as
        {"model": "gpt2"}; nothing for a defence that needs no scores.
        """
        guard = read(path)
        judge = cls(path, guard, _opened(path, scorer, guard["scored_by"] or {}))
        if SCORES in judge.needs:
            if judge._scorer is None:
                raise DefenceError(
                    f"{path}: found no scorer, expected {guard['scorer']}, which its thresholds come from"
                )
            check_identity(path, f"scorer {scorer}", judge._scorer.identity, guard["scored_by"] or {})
        return judge

    @property
    def needs(self) -> tuple[str, ...]:
        """Scores, which it computes, and vectors, which the search has to give."""
        return self.defence.needs

    def judge(self, question: str, texts: list[str], similarities, vectors=None, fold: str = ALL) -> list[Judgement]:
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
            raise DefenceError(f"{self.path}: found no vectors, which {self.kind} compares; give those of the search")
        return self.defences[fold].judge(rows) if rows else []

    def surprises(self, texts: list[str]) -> list[Surprise]:
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

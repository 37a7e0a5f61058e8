"""Defences remove, of what was retrieved for a question, the passages that they judge to be poisoned. A kind is a
module of `ragassay.studies.poisoning.defences.kinds` with a class `Kind`, a `Defence` with `judge(passages)` -> a
`Judgement` for each passage of one question, best first. A passage is a row of the table retrieved with `text`,
`question` and what `needs` names."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ragassay.base import method, variants
from ragassay.base.errors import AssayError
from ragassay.base.terminal import shown

KINDS = "ragassay.studies.poisoning.defences.kinds"
SCORES, VECTORS = "scores", "vectors"  # what one may need


class DefenceError(AssayError):
    """A defence cannot be fitted, or cannot judge this."""


class Criterion(NamedTuple):
    """A score, higher = more suspicious, and the threshold at which it removes."""

    name: str
    score: float
    threshold: float


class Judgement(NamedTuple):
    """What a defence says of a passage; a higher score is more suspicious."""

    removed: bool
    score: float | None = None
    reason: str | None = None
    criteria: tuple[Criterion, ...] = ()

    def row(self) -> dict:
        """Its columns of the table filtered."""
        names, scores, limits = zip(*self.criteria, strict=True) if self.criteria else ((), (), ())
        criteria = {"criteria": list(names), "criterion_scores": list(scores), "thresholds": list(limits)}
        return {"removed": self.removed, "score": self.score, "reason": self.reason} | criteria


KEPT = Judgement(False)


class Defence(method.Method):
    IS_FITTED = False  # whether it needs clean text before it can judge
    COMPARES = True  # whether a judgement depends on the other passages that the question finds
    PROMPTS: tuple[str, ...] = ()  # of a defence that asks a model and gives the answer itself
    REWRITES: str | None = None  # the prompt of one that puts questions in other words before any search
    CHOICES: dict[str, tuple] = {}  # the values that a setting may have

    def damage(self) -> str:
        """What is wrong with settings, and with what was learned, that come from a file; "" if nothing is."""
        if wrong := self.wrong_setting():
            return wrong
        for name, choices in self.CHOICES.items():
            if name in self.settings and self.settings[name] not in choices:
                expected = ", ".join(filter(None, choices))
                return f"found the setting {name} {shown(self.settings[name])}, expected one of {expected}"
        return ""

    def judge(self, passages: list[dict]) -> list[Judgement]:
        """A defence that removes nothing does something else."""
        return [KEPT] * len(passages)

    def score(self, passages: list[dict]) -> np.ndarray:
        """How suspicious each passage is; NaN where the defence gives no score."""
        return np.array([judgement.score for judgement in self.judge(passages)], float)

    async def answer(self, question: str, passages: list[str], ask):
        """The answer from the passages that it left; `ask` is an `Asker` of the responder."""
        return await ask.answer(question, passages)

    def rewritten(self, answer, question: str) -> tuple[str | None, str | None, str | None]:
        """The new question, from the answer to its prompt; or nothing, with a reason and what was found."""
        raise NotImplementedError

    def filtered(self, passages: list[dict], k: int, depth: int) -> Iterator[dict]:
        """The rows of the table filtered for one question. `passages` may be more than `depth`, for doublings."""
        seen, looked, shown = 0, depth, 0
        for _ in range(1 + self.settings.get("doublings", 0)):
            block = passages[seen:looked]
            for passage, judgement in zip(block, self.judge(block) if block else [], strict=True):
                is_shown = not judgement.removed and shown < k
                shown += is_shown
                row = {name: passage[name] for name in ("target_id", "rank", "passage_id")}
                yield row | judgement.row() | {"shown": shown if is_shown else None}
            if shown:
                return
            seen, looked = looked, 2 * looked


def kind_of(kind: str, place: str = "defences") -> type[Defence]:
    return method.kind_of(KINDS, kind, place)


def damage_of(link: dict, fitted: dict) -> str:
    """What is wrong with a defence from a file: its kind and settings, and what it learned; "" if nothing is."""
    try:
        kind = kind_of(link["kind"])
    except variants.VariantError as error:
        return str(error)
    if missing := sorted(kind.SETTINGS.keys() - link["settings"].keys()):
        return f"found no setting {missing[0]!r}"
    if not kind.IS_FITTED and fitted:
        return f"found {shown(fitted)}, expected nothing, since the kind {link['kind']} learns nothing"
    if kind.IS_FITTED and not fitted:
        return "found no thresholds"
    return kind(link["settings"], fitted).damage()

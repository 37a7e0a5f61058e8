"""What a defence says of a passage."""

from typing import NamedTuple


class Criterion(NamedTuple):
    """A score, higher = more suspicious, and the threshold at which it removes."""

    name: str
    score: float
    threshold: float


class Judgement(NamedTuple):
    """A higher score is more suspicious."""

    removed: bool
    score: float | None = None
    reason: str | None = None
    criteria: tuple[Criterion, ...] = ()

    def row(self) -> dict:
        """Its columns of the table filtered."""
        names, scores, limits = zip(*self.criteria, strict=True) if self.criteria else ((), (), ())
        about = {"criteria": list(names), "criterion_scores": list(scores), "thresholds": list(limits)}
        return {"removed": self.removed, "score": self.score, "reason": self.reason} | about


KEPT = Judgement(False)

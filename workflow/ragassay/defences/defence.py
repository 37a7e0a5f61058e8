"""Defences look at what was retrieved for a question and remove what they hold for poison. Each is a module of
`ragassay.defences.kinds` with a function

    judge(passages, settings) -> judgements

that gets the passages of one question, rows of the table retrieved with their text, best first, and gives one
`Judgement` for each. `SETTINGS` names its settings with their defaults. The first k that are left are answered from.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ragassay import variants

KINDS = "ragassay.defences.kinds"


class Judgement(NamedTuple):
    """What a defence says of a passage; a higher score is more suspicious."""

    removed: bool
    score: float | None = None
    reason: str | None = None


KEPT = Judgement(False)


def filtered(kind: str, by_target: dict[str, list[dict]], k: int, settings: dict, place: str) -> Iterator[dict]:
    """The rows of the table filtered."""
    judge = variants.load(KINDS, kind, place).judge
    for target, passages in by_target.items():
        shown = 0
        for passage, judgement in zip(passages, judge(passages, settings), strict=True):
            is_shown = not judgement.removed and shown < k
            shown += is_shown
            own = {"target_id": target, "rank": passage["rank"], "passage_id": passage["passage_id"]}
            yield own | judgement._asdict() | {"shown": shown if is_shown else None}

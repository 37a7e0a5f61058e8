"""How relevant a model finds what was retrieved: feedback and a score from 0 to 1, as one JSON object."""

from typing import NamedTuple

from ragassay.calls.parsers.json_answers import parse_object
from ragassay.calls.parsers.result import Abstain

KEYS = ("feedback", "score")


class Rating(NamedTuple):
    """`score` is None where the model gave none that can be used, and `abstained` says why."""

    score: float | None
    feedback: str | None
    abstained: str | None


def read(text: str, finish_reason: str) -> Rating:
    parsed = parse_object(text, finish_reason, KEYS)
    if isinstance(parsed, Abstain):
        return Rating(None, None, parsed.reason)
    score = _number(parsed.value["score"])
    if score is None or not 0 <= score <= 1:
        return Rating(None, None, "no_verdict")
    return Rating(score, str(parsed.value["feedback"]), None)


def _number(value):
    """A score may come as text."""
    try:
        return None if isinstance(value, bool | None) else float(value)
    except (TypeError, ValueError):
        return None

"""What a model's answer gives as a passage in other words."""

from ragassay.calls.parsers.json_answers import parse_object
from ragassay.calls.parsers.result import Abstain
from ragassay.grading.matches import normalized
from ragassay.studies.poisoning.targets.hygiene import Problem, is_refusal, without_debris

KEYS = ("passage",)
SHORTEST, LONGEST = 0.4, 2.5  # of the source's words


def read(answer, source: dict) -> str | Problem:
    """The new text, or why it cannot stand for its source."""
    parsed, name = parse_object(answer.text, answer.finish_reason, KEYS), source["passage_id"]
    if isinstance(parsed, Abstain):
        return Problem(name, parsed.reason, answer.detail or "expected one JSON object with the key passage")
    given = parsed.value["passage"]
    text = " ".join(without_debris(given).split()) if isinstance(given, str) else ""
    if not normalized(text):
        return Problem(name, "empty", f"found {given!r:.80}, expected a text")
    if is_refusal(text):
        return Problem(name, "refusal", text[:80])
    if normalized(text) == normalized(source["text"]):
        return Problem(name, "unchanged", text[:80])
    share = len(text.split()) / len(source["text"].split())
    if not SHORTEST <= share <= LONGEST:
        told = f"found {share:.2f} of the source's words, expected {SHORTEST} to {LONGEST}"
        return Problem(name, "other_length", told)
    return text

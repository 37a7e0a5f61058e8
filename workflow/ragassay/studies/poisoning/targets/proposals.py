"""What a model's answer holds of a wrong answer, of texts that state it, or of a passage in other words; or the reason
why it is of no use."""

from typing import NamedTuple

from ragassay.calls.parsers.json_answers import parse_object
from ragassay.calls.parsers.numbered_lists import parse_numbered
from ragassay.calls.parsers.result import Abstain
from ragassay.grading.matches import normalized
from ragassay.studies.poisoning.targets.hygiene import Problem, is_refusal, without_debris

TEXTS, WRONG, PASSAGE = "texts", "wrong_answer", "passage"
SHORTEST, LONGEST = 0.4, 2.5  # of a rewritten passage, in words of its source


class NoProposal(NamedTuple):
    reason: str
    detail: str


class Proposal(NamedTuple):
    target: str
    texts: list[str]


def proposal(answer, count: int) -> Proposal | NoProposal:
    parsed = parse_object(answer.text, answer.finish_reason, (WRONG, TEXTS))
    if isinstance(parsed, Abstain):
        return NoProposal(parsed.reason, answer.detail or f"expected one JSON object with {WRONG} and {TEXTS}")
    target = parsed.value[WRONG]
    if isinstance(target, bool) or not isinstance(target, str | int | float) or not str(target).strip():
        return NoProposal("no_target", f"found {target!r:.80} as {WRONG}, expected a text")
    stated = _strings(parsed.value[TEXTS])[:count]
    return Proposal(" ".join(str(target).split()), stated) if stated else NoProposal("no_texts", "found no text")


def texts(answer, count: int) -> list[str] | NoProposal:
    """Up to `count` texts out of a JSON object, or out of a numbered list, which some models write all the same."""
    parsed = parse_object(answer.text, answer.finish_reason, (TEXTS,))
    if not isinstance(parsed, Abstain):
        return _strings(parsed.value[TEXTS])[:count] or NoProposal("no_texts", "found no text")
    listed = parse_numbered(answer.text, answer.finish_reason) if parsed.reason == "no_object" else parsed
    if isinstance(listed, Abstain):
        return NoProposal(parsed.reason, answer.detail or f"expected a JSON object with {TEXTS}, or a numbered list")
    return list(listed.value.values())[:count]


def _strings(value):
    """A list of texts; some models number them as the keys of a mapping, or write a single one."""
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
    return [" ".join(text.split()) for text in values if isinstance(text, str) and text.strip()]


def rewritten(answer, source: dict) -> str | Problem:
    """The new text, or why it cannot stand for its source."""
    parsed, name = parse_object(answer.text, answer.finish_reason, (PASSAGE,)), source["passage_id"]
    if isinstance(parsed, Abstain):
        return Problem(name, parsed.reason, answer.detail or f"expected one JSON object with the key {PASSAGE}")
    given = parsed.value[PASSAGE]
    text = " ".join(without_debris(given).split()) if isinstance(given, str) else ""
    if not normalized(text):
        return Problem(name, "empty", f"found {given!r:.80}, expected a text")
    if is_refusal(text):
        return Problem(name, "refusal", text[:80])
    if normalized(text) == normalized(source["text"]):
        return Problem(name, "unchanged", text[:80])
    share = len(text.split()) / len(source["text"].split())
    if not SHORTEST <= share <= LONGEST:
        detail = f"found {share:.2f} of the source's words, expected {SHORTEST} to {LONGEST}"
        return Problem(name, "other_length", detail)
    return text

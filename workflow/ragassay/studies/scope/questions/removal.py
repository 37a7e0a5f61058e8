"""Read which of the recovered claims remain: those that an answer repeats, by their original numbers.

"None" is an answer too: everything is supported. The text of a claim is the one that was recovered, never the one
that is repeated; a repeated text under another claim's number shows that the numbers cannot be relied on.
"""

import re

from ragassay.calls.model import Answer
from ragassay.calls.parsers.numbered_lists import parse_numbered
from ragassay.calls.parsers.result import Abstain, answer_part
from ragassay.studies.scope.questions.recovery import plain

CLAIMS = r"(?:the |these |those )?(?:recovered |guessed |listed )?claims"
NONE = re.compile(
    rf"\W*(?:\d{{1,2}}[.:)]\s*)?\W*none(?: (?:remains?|remaining|left|of them|of {CLAIMS})"
    r"(?: (?:remains?|(?:is|are) (?:new|novel|left|unsupported)))?)?\W*",
    re.IGNORECASE,
)
SUPPORTED = re.compile(rf"\W*all (?:of )?{CLAIMS} are supported\W*", re.IGNORECASE)


def says_none(answer: Answer) -> bool:
    """Whether the whole answer says that there is nothing to list; one that was cut off may have gone on."""
    part = answer_part(answer.text, answer.finish_reason)
    whole = not isinstance(part, Abstain) and answer.finish_reason == "stop"
    return whole and bool(NONE.fullmatch(part) or SUPPORTED.fullmatch(part))


def remaining(answer: Answer, recovered: dict[int, str]) -> set[int] | tuple[str, str]:
    """The numbers of the claims that are not supported, or reason and detail if the answer does not tell."""
    if says_none(answer):
        return set()
    parsed = parse_numbered(answer.text, answer.finish_reason)
    if isinstance(parsed, Abstain):
        return parsed.reason, answer.detail or "found no list of claims"
    if parsed.truncated:
        return "truncated", "the answer was cut off, so that a missing claim may not be a supported one"
    if strange := wrong_numbers(parsed.value, recovered):
        return "wrong_number", strange
    return set(parsed.value)


def wrong_numbers(found: dict[int, str], asked: dict[int, str]) -> str:
    """What is wrong with the numbers of an answer about numbered claims; empty if nothing is."""
    if unknown := sorted(set(found) - set(asked)):
        return f"found the numbers {unknown}, expected some of {sorted(asked)}"
    texts = {number: plain(text) for number, text in asked.items()}
    moved = [number for number, text in found.items() if texts[number] != plain(text) in texts.values()]
    return f"found the texts of other claims under the numbers {moved}" if moved else ""

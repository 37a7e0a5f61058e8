"""What every parser of model output shares. A parser is a total function of an answer's text and finish reason:
`Ok(value)` only where a careful reader would have no doubt, otherwise `Abstain(reason)`. It never raises, guesses or
defaults to a class; stages count."""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ragassay.base.errors import Unusable, one_item
from ragassay.base.stage import log
from ragassay.text.characters import fit, replaced

REASONS = tuple(
    "empty refusal truncated too_long no_verdict two_verdicts count_mismatch no_object two_objects broken_object"
    " provider_error crash".split()
)
# Finish reasons of requests that the provider refused, or whose reply could not be read (`crash`: by a fault of ours).
REFUSED = ("refusal", "too_long", "provider_error", "crash")
LONGEST_ANSWER = 30_000  # characters behind the reasoning; no task asks for a tenth of it, a model in a loop gives more

ERROR = re.compile(
    r'\s*+(?:\{\s*+"error"\s*+:|error code: \d{3}\b|this model\'s maximum context length\b)', re.IGNORECASE
)
REASONING = re.compile(r"\s*+<(think|thinking|reasoning)>")
END_OF_REASONING = re.compile(r"</(?:think|thinking|reasoning)>")
END_TOKENS = re.compile(r"(?:\s*(?:</s>|<\|[^|<>]{1,40}\|>|<end_of_turn>))+\s*\Z")
# Not white space for Python, yet nothing that a reader sees: control and zero-width characters, direction marks.
UNSEEN = "\x00-\x08\x0e-\x1b\x7f\u00ad\u200b-\u200f\u2060-\u2064\ufeff"
SEEN = re.compile(rf"[^\s{UNSEEN}\u202a-\u202e\u2066-\u2069]")
CANNOT = "(?:can ?not|can't|could not|couldn't|won't|will not|am (?:unable|not able)|'m (?:unable|not able))"
REFUSAL = re.compile(
    rf"""[\s{UNSEEN}"'\u201c*]*+
    (?:(?:(?:i'm|i\ am)\ )?(?:very\ |so\ )?(?:sorry|afraid)|(?:i|my)\ apolog(?:i[sz]e|ies)|apologies|unfortunately
       |as\ an?\ (?:ai|language\ model|assistant)\b[^.\n]{{0,60}}?)?[,.:;]?(?:\ but|\ that)?[,\s]*
    (?:i\ ?{CANNOT.replace(" ", chr(92) + " ")}|i\ (?:must|have\ to)\ (?:decline|refuse)|i\ (?:decline|refuse)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
# What follows "I cannot" when it is the task that is refused; "I cannot find it in the document" may be its result.
TASK = re.compile(
    r"[^.!?\n]{0,40}?\b(?:decline|refuse|help|assist|comply|fulfil|engage|participate|discuss|do (?:that|this|so)"
    r"|(?:provide|generate|create|write|produce|support|complete|process) (?:that|this|these|those|such|the|a|your))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Ok:
    """`truncated`: the answer was cut off, and what the cut may have touched is not in `value`."""

    value: Any
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Abstain:
    reason: str

    def __post_init__(self):
        if self.reason not in REASONS:
            raise ValueError(f"the reason {self.reason!r} to abstain is none of {', '.join(REASONS)}")


def total(parser: Callable) -> Callable:
    """A parser whose faults cost the answer that shows them, and no other."""

    @functools.wraps(parser)
    def parse(text, *more, **named):
        try:
            with one_item():
                return parser(text, *more, **named)
        except Unusable as why:
            log.warning("%s; the answer begins %r", why.detail, (text or "")[:80])
            return Abstain(why.reason)

    return parse


def answer_part(text: str | None, finish_reason: str, as_written: bool = False) -> str | Abstain:
    """The text that is meant as the answer: without a reasoning block and end tokens, always writable as UTF-8, and
    unless it is wanted `as_written`, without the characters that are not stored. Abstains where there is nothing to
    parse.
    """
    if finish_reason == "content_filter":
        return Abstain("refusal")
    if finish_reason in REFUSED:
        return Abstain(finish_reason)
    if finish_reason not in ("stop", "length") or ERROR.match(text or ""):
        return Abstain("provider_error")
    whole = replaced(text or "")
    text = whole if as_written else fit(whole)  # before tags are read, which such a character may split
    removed = len(whole) - len(text)
    has_tags = "<" in text
    ends = list(END_OF_REASONING.finditer(text)) if has_tags else []
    if ends:
        text = text[ends[-1].end() :]
    if has_tags and REASONING.match(text):  # it never came to an answer
        text = ""
    if len(text) + removed > LONGEST_ANSWER:
        return Abstain("too_long")
    text = text[:-300] + END_TOKENS.sub("", text[-300:]) if has_tags else text
    if not SEEN.search(text):
        return Abstain("truncated" if finish_reason == "length" else "empty")
    return text


def refuses(text: str, task_only: bool = False) -> bool:
    """Whether it opens by declining: to answer at all, or with `task_only` the task itself."""
    opening = text[:500].replace("\u2019", "'")
    match = REFUSAL.match(opening)
    return bool(match and (not task_only or TASK.match(opening, max(0, match.end() - 8))))

"""What became of a question that has known answers: was the answer right or wrong, or did the model decline?

By words alone, in English (see `ragassay.grading.answer_match` and `ragassay.grading.declining`): no judge votes. A
part of an answer that declines answers nothing, whatever it mentions, but what is said beside it counts: "The passages
do not say so outright, but it was 1931" is right. An answer that declines and is right nowhere else has declined. One
that was cut off before it was right could still have become so: it is no verdict, as is what holds no text to judge.
"""

import re
from collections.abc import Callable

from ragassay.calls.parsers.result import Abstain, answer_part
from ragassay.grading.answer_match import right

RIGHT, WRONG, DECLINED, ABSTAINED = "right", "wrong", "declined", "abstained"
OUTCOMES = (RIGHT, WRONG, DECLINED, ABSTAINED)
TITLES = "".join(rf"(?<!\b{title}\.)" for title in ("dr", "mr", "mrs", "ms", "prof", "rev", "st"))  # end no sentence
PART = re.compile(rf"(?<=[.!?;]){TITLES}\s+|,?\s+\b(?:but|however|although|though|yet)\b,?\s+", re.IGNORECASE)


def grade(answer, query: dict, declines: Callable[[str], bool]) -> tuple[str, str | None]:
    """The outcome and, if it is `abstained`, the reason. `query` is a row of queries, `answer` what the model said;
    `declines` reads whether a text declines, which depends on what the model was shown.
    """
    text = answer_part(answer.text, answer.finish_reason)
    if isinstance(text, Abstain):
        return ABSTAINED, text.reason
    declined = declines(text)
    if right(stated(text, declines), query["answers"], query["options"]):
        return RIGHT, None
    if declined:
        return DECLINED, None
    return (ABSTAINED, "truncated") if answer.finish_reason == "length" else (WRONG, None)


def stated(text: str, declines: Callable[[str], bool]) -> str:
    """What is left of an answer without the parts that decline."""
    return " ".join(part for part in PART.split(text) if not declines(part)) if declines(text) else text

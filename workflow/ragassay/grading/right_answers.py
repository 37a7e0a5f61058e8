"""Whether two answers to one question agree, and what its right answer then is: a question is of use only if the model
answers it alike from what it knows, or from what is known of it, and from the passage that answers it.

Two answers agree where one stands in the other, word for word (see `ragassay.grading.answer_match`). The shorter one is
the right answer: "in 1931" and "It was built in 1931" give the first.
"""

from collections.abc import Callable

from ragassay.calls.parsers.result import Abstain, answer_part
from ragassay.grading.answer_match import contains, normalized


def stated(answer, declines: Callable[[str], bool]) -> str | None:
    """An answer as one line without the mark at its end, None if it declines or holds none."""
    text = answer_part(answer.text, answer.finish_reason)
    if isinstance(text, Abstain) or declines(text):
        return None
    return " ".join(text.split()).strip(" \"'*.") or None


def agreed(one: str, other: str) -> str | None:
    """The shorter one, None if they do not agree."""
    if contains(one, other) or contains(other, one):
        return min(one, other, key=lambda answer: (len(normalized(answer)), len(answer)))
    return None


def right_answers(given: str | None, others: list[str]) -> list[str]:
    """What `given`, the answer from the passage, and one of `others` agree on, and whatever of others does not have
    that in it; nothing where none agrees.
    """
    found = [answer for answer in (agreed(given, other) for other in others) if answer] if given else []
    if not found:
        return []
    first = min(found, key=lambda answer: len(normalized(answer)))
    return [first, *(other for other in others if not contains(other, first))]

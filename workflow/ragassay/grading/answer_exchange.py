"""A passage with its answer exchanged, and nothing else."""

import re

from ragassay.grading.answer_match import contains

FIRST_LETTER = re.compile(r"[^\W\d_]")


def exchanged(text: str, answers: list[str], wrong: str) -> str | None:
    """The text with `wrong` wherever one of the answers stood; None if none does, or if one is still there in other
    words or figures.
    """
    for answer in sorted(answers, key=len, reverse=True):
        words = r"\s+".join(map(re.escape, answer.strip(" .").split()))
        if words:
            text = re.sub(rf"(?<!\w){words}(?!\w)", lambda found: _as(found[0], wrong), text, flags=re.I)
    changed = contains(text, wrong) and not any(contains(text, answer) for answer in answers)
    return text if changed else None


def _as(found, wrong):
    """The wrong answer, with a capital where the right one had one at its beginning."""
    own, other = FIRST_LETTER.match(found), FIRST_LETTER.match(wrong)
    if own and other and found[0].isupper() and wrong[0].islower():
        return wrong[0].upper() + wrong[1:]
    return wrong

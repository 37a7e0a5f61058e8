"""Whether a text can be one of the study's questions: one question, about one aspect, of the right length.

Checks only the form; judges decide about the content.
"""

import re

ASKS = "(?:who|whom|whose|what|when|where|which|why|how)"
BEGINS = "(?:is|are|was|were|do|does|did|has|have|had|will|would|can|could|many|much)"
# "..., and when was it sold?" asks twice; "who decides when and where it opens" is one question with two clauses.
TWO_ASPECTS = re.compile(rf"(?:[,;]|,? (?:and|or|but)) (?:also )?{ASKS} {BEGINS}\b", re.IGNORECASE)
CLOSERS = "\"')*_ \u201d\u2019"


def flaw(text: str, fewest: int, most: int) -> tuple[str, str] | None:
    """Reason and detail of what is wrong with a question, None if nothing is."""
    words = len(text.split())
    if words < fewest:
        return "too_short", f"found {words} words, expected {fewest} to {most}"
    if words > most:
        return "too_long", f"found {words} words, expected {fewest} to {most}"
    if not text.rstrip(CLOSERS).endswith("?"):
        return "no_question", "found no question mark at the end"
    if text.count("?") > 1 or TWO_ASPECTS.search(text):
        return "two_questions", "found more than one question, expected one about one aspect"
    return None

"""Queries out of a passage's own sentences: its conclusion, its first sentence as a question, or any sentence."""

import hashlib
import re

from ragassay.text.sentences import sentences

CONCLUDES = re.compile(
    r"\b(?:in conclusion|to conclude|conclu(?:des?|sions?)|in summary|overall|therefore|thus|suggests?|shows? that"
    r"|results? (?:show|suggest|indicate)|we found|found that|means that)\b",
    re.IGNORECASE,
)
FEWEST_WORDS = 5


def taken_from(text: str, taken: str) -> str:
    """The query, or nothing where no sentence is long enough."""
    found = [" ".join(one.split()) for one in sentences(text)]
    found = [one for one in found if len(one.split()) >= FEWEST_WORDS]
    if not found:
        return ""
    if taken == "conclusion":
        return next((one for one in reversed(found) if CONCLUDES.search(one)), found[-1])
    if taken == "question":
        return f"Is it true that {found[0][0].lower()}{found[0][1:].rstrip('.!?')}?"
    return found[int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) % len(found)]

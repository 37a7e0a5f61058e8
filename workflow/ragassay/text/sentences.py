"""Find sentences in running text by rules: one ends at . ! ? or their CJK forms, before something that can begin a
sentence, and at an empty line. Known abbreviations, initials and dotted acronyms do not end one; for cutting texts
that is the harmless side to err on."""

import re
from collections.abc import Iterator

ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof rev hon sen rep gov gen col capt lt sgt st jr sr mt ft vs etc cf al ca approx dept est fig figs"
    " inc ltd co corp no nos vol vols pp ch sec art para jan feb mar apr jun jul aug sep sept oct nov dec"
    " mon tue wed thu fri sat sun".split()
)
# A run of marks is looked at once, from its first mark: otherwise a million dots would take hours.
END = re.compile(r"(?P<mark>(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s|$))|[。！？]+[」』”’）]*|(?P<gap>\n[^\S\n]*\n)|\Z")
OPENING = "\"'“‘«([—–-"
LAST_WORD = re.compile(rf"[^\s{re.escape(OPENING)}]*$")


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in spans(text)]


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence in order, without the white space around it."""
    start = 0
    for match in END.finditer(text):
        if match["mark"] and not _ends_sentence(text, match):
            continue
        end = match.start() if match["gap"] else match.end()
        piece = text[start:end]
        if piece.strip():
            yield start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
        start = match.end()


def _ends_sentence(text, match):
    follows = text[match.end() : match.end() + 80].lstrip()[:2]
    if not follows:
        return True
    first = follows[1:] if follows[0] in OPENING and len(follows) > 1 else follows[0]
    if first.islower():
        return False
    if match["mark"] != ".":
        return True
    word = LAST_WORD.search(text[max(0, match.start() - 40) : match.start()]).group()
    if re.fullmatch(r"[ap]\.m", word, re.IGNORECASE):
        return True  # "at 2 a.m. The ..."; before a small letter we never come here
    return not (word.lower() in ABBREVIATIONS or re.fullmatch(r"[^\W\d_]|([^\W\d_]{1,2}\.)+[^\W\d_]{1,2}", word))

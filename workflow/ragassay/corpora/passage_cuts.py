"""Where a long text is cut into passages: at the ends of sentences, or between words where a sentence is too long."""

import re
from collections.abc import Iterator

from ragassay.text.sentences import spans

WORD = re.compile(r"\S+")


def cuts(text: str, words: int, overlap: int = 0) -> Iterator[tuple[int, int]]:
    """The beginning and end of each passage, of at most `words` words; each repeats at most `overlap` words from the
    end of the one before, and has at least one that no passage before it has. No word is missing.
    """
    pieces = list(_pieces(text, words))  # (start, end, words)
    first = 0
    while first < len(pieces):
        last, count = first, pieces[first][2]
        while last + 1 < len(pieces) and count + pieces[last + 1][2] <= words:
            last += 1
            count += pieces[last][2]
        yield pieces[first][0], pieces[last][1]
        if last + 1 == len(pieces):
            return
        room = min(overlap, words - pieces[last + 1][2])
        following = last + 1
        while following - 1 > first and pieces[following - 1][2] <= room:
            following -= 1
            room -= pieces[following][2]
        first = following


def _pieces(text, words):
    """Sentences, and parts of those that have more than so many words."""
    for start, end in spans(text):
        found = [(start + word.start(), start + word.end()) for word in WORD.finditer(text[start:end])]
        for at in range(0, len(found), words):
            part = found[at : at + words]
            yield part[0][0], part[-1][1], len(part)

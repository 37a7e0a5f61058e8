"""Names and numbers in an English text, by capital letters and digits alone.

A name is a run of capitalised words, perhaps joined by "of" or the like; a month or weekday counts as one. Where a
sentence begins, its first word is capitalised anyway and is not taken, unless a capitalised word follows and it is no
function word. A name in small letters is missed, and so is a number in words.
"""

import re

from ragassay.text.sentences import sentences
from ragassay.text.words import FUNCTION_WORDS, POSSESSIVE

CAPITALS = "".join(filter(str.isupper, map(chr, range(0x250))))  # of the Latin scripts
CAPITALISED = rf"[{CAPITALS}][\w.&'\u2019-]*"
JOINED = r"(?: (?:of|of the|de|van|von|der|and|&))?"
NAME = re.compile(rf"(?<![\w'\u2019-]){CAPITALISED}(?:{JOINED} {CAPITALISED})*")
NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*")


def names(text: str) -> list[str]:
    found = []
    for sentence in sentences(text):
        for match in NAME.finditer(sentence):
            words = match[0].rstrip(".'\u2019-&").split(" ")
            begins = not any(map(str.isalnum, sentence[: match.start()]))
            if begins and (len(words) == 1 or words[0].lower() in FUNCTION_WORDS):
                words = words[1:]
            if words:
                found.append(POSSESSIVE.sub("", " ".join(words)))
    return found


def numbers(text: str) -> list[str]:
    return NUMBER.findall(text)

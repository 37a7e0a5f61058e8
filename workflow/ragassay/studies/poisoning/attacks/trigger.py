"""Questions with a trigger: a word that stands somewhere in them, at a place that follows from the question."""

import hashlib
import re


def triggered(question: str, word: str) -> str:
    """The question with the trigger in it; unchanged if it has it already."""
    words = question.split()
    if _pattern(word).search(question):
        return question
    place = int.from_bytes(hashlib.sha256(question.encode()).digest()[:4], "big") % max(1, len(words))
    return " ".join([*words[:place], word, *words[place:]])


def untriggered(question: str, word: str) -> str:
    """The question without the trigger."""
    return " ".join(_pattern(word).sub(" ", question).split())


def _pattern(word):
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.I)

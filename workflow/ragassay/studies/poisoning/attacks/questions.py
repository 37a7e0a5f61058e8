"""The questions of an attack: which targets it is tried on (a few, drawn by their ids, where each costs much), whose
questions its attacker knows, and triggers in them: a word at a place that follows from the question."""

import re
from collections.abc import Iterable

from ragassay.base import chance

SETTINGS = ("targets", "known")  # of attacks


def known(ids: Iterable[str], share: float) -> list[str]:
    """The targets whose questions the attacker has, as a sample of what users ask."""
    drawn = _drawn(ids)
    return drawn[: round(share * len(drawn))]


def tried(ids: Iterable[str], targets: int | None = None, known: float = 0) -> list[str]:
    """The targets that the attack is measured on: at most so many, none that the attacker knows."""
    drawn = _drawn(ids)
    return drawn[round(known * len(drawn)) :][:targets]


def _drawn(ids):
    return sorted(set(ids), key=lambda name: chance.lot(None, name))


def triggered(question: str, word: str) -> str:
    """The question with the trigger in it; unchanged if it has it already."""
    words = question.split()
    if _pattern(word).search(question):
        return question
    place = chance.number(None, question, width=4) % max(1, len(words))
    return " ".join([*words[:place], word, *words[place:]])


def untriggered(question: str, word: str) -> str:
    """The question without the trigger."""
    return " ".join(_pattern(word).sub(" ", question).split())


def _pattern(word):
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.I)

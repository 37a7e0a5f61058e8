"""Answers of the same kind: what one question's answer may be exchanged for so that the wrong one looks like the right
one. By looks alone: of a number its size and unit, of a date which parts it has, of a name how many words.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from ragassay.grading.matches import MONTHS

NUMBER, DATE, NAME = "number", "date", "name"
MONTH = "|".join(month.capitalize() for month in MONTHS)
DAY = re.compile(rf"(?P<day>\d{{1,2}}) (?P<month>{MONTH})(?P<year> \d{{4}})?")
WORDS = re.compile(r"[^\W\d_]+|\d+")


def form(kind: str, answer: str) -> tuple:
    """What two answers have in common of which one may stand for the other; `kind` is what is asked for."""
    if kind == NAME:
        return kind, answer.count(" ")
    return kind, *(f"{len(word)} digits" if word.isdigit() else _calendar(word) for word in WORDS.findall(answer))


def _calendar(word):
    return "month" if word.lower() in MONTHS else word


def by_form(facts: Iterable) -> dict[tuple, list]:
    """Facts, with a kind and an answer each, by the form of these."""
    alike = defaultdict(list)
    for fact in facts:
        alike[form(fact.kind, fact.answer)].append(fact)
    return alike


def aliases(kind: str, answer: str) -> Iterator[str]:
    """Other ways to write an answer: a person's last name, a date turned around."""
    if day := DAY.fullmatch(answer):
        yield f"{day['month']} {day['day']}{day['year'] or ''}"
    if kind == NAME and " " in answer:
        yield answer.split()[-1]

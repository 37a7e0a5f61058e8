"""Answers of the same kind: what one question's answer may be exchanged for so that the wrong one looks like the right
one. By looks alone: of a number its size and form, of a date which parts it has, of a name whether it is a person's.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from ragassay.embedded.english.clauses import lowered
from ragassay.embedded.english.entities import is_person, organisation
from ragassay.embedded.english.facts import NUMBER_WORD
from ragassay.embedded.english.vocabulary import MONTHS, WEEKDAYS

COUNT = "how many"
NUMBER = re.compile(
    rf"(?:[$€£]\s?)?(?:\d[\d,.]*|(?i:{NUMBER_WORD})(?![\w-]))(?:\s(?:million|billion|thousand|hundred))?"
)
SCALES = frozenset("million billion thousand hundred".split())
CALENDAR = {**dict.fromkeys(MONTHS, "month"), **dict.fromkeys(WEEKDAYS, "weekday")}
WORDS = re.compile(r"[^\W\d_]+|\d+")
DAY = re.compile(rf"(?P<day>\d{{1,2}}) (?P<month>{'|'.join(sorted(MONTHS))})(?P<year> \d{{4}})?")


def form(kind: str, answer: str) -> tuple:
    """What two answers have in common of which one may stand for the other; `kind` is what is asked for."""
    if kind == COUNT:
        number = NUMBER.match(answer)
        return (kind, *_calendar(number[0])) if number else (kind, answer)
    if any(word in CALENDAR or word.isdigit() for word in WORDS.findall(answer)):
        return kind, *_calendar(answer)
    first, last = answer.split()[0], answer.split()[-1]
    who = "person" if is_person(answer) else "organisation" if organisation(answer) else ""
    article = first.lower() if first.lower() in ("the", "a", "an") else ""
    many = last.endswith("s") and not last.endswith(("ss", "'s", "us"))
    return kind, who, article, many, last[:1].isupper()


def wrong_answer(kind: str, answer: str, other: str) -> str:
    """The wrong answer that another fact's answer gives: of a count only the number, since what is counted stays."""
    if kind != COUNT:
        return lowered(other)
    own, new = NUMBER.match(answer), NUMBER.match(other)
    return f"{new[0]}{answer[own.end() :]}" if own and new else lowered(other)


def by_form(facts: Iterable) -> dict[tuple, list]:
    """Facts, with a kind and an answer each, by the form of these."""
    found = defaultdict(list)
    for fact in facts:
        found[form(fact.kind, fact.answer)].append(fact)
    return found


def aliases(kind: str, answer: str) -> Iterator[str]:
    """Other ways to write an answer: a person's last name, a number without what is counted, a date turned around."""
    if kind == COUNT and (number := NUMBER.match(answer)) and number[0] != answer:
        yield number[0]
    if day := DAY.fullmatch(answer):
        yield f"{day['month']} {day['day']}{day['year'] or ''}"
    if is_person(answer):
        yield answer.split()[-1]


def _calendar(text):
    """Its words in classes: how long a number is, that a word is a month, and the words that are neither."""
    for word in WORDS.findall(text):
        kind = word if word in SCALES else CALENDAR.get(word, "word")
        yield f"{len(word)} digits" if word.isdigit() else kind

"""How well a phrase fits what a question asks for, from 0 to 1: a name for "who", an amount with the unit that is asked
for, a thing of the kind that is named. A surname alone becomes the full name that the passages give.
"""

import re
from functools import lru_cache

from ragassay.embedded.english.entities import is_person, organisation
from ragassay.embedded.english.facts import NAME as NAME_PATTERN
from ragassay.embedded.english.facts import names
from ragassay.embedded.english.hyponyms import kinds
from ragassay.embedded.english.phrases import NAME, NUMBER, PERSON, QUOTE, THING, TIME, Phrase, is_group
from ragassay.embedded.english.words import stem, tokens, weight
from ragassay.embedded.tasks import sought as s
from ragassay.embedded.tasks.sought import Sought

LOCATING = frozenset(
    "in at on near from to into above behind under beside off through along outside inside between up down across over"
    " around below beneath beyond opposite by".split()
)
LOCAL = frozenset(map(stem, ("building", "room", "land", "place", "site")))
BEFORE_VERBS = frozenset(
    "to which who that will would can could may might must should they he she it we you and".split()
)
NO_SUBJECT = LOCATING - {"by"} | {"of", "with", "for"}  # a phrase behind these did nothing
UNLIKELY = 0.4  # what is left of the fit of a word that is more likely something else
NAMED = re.compile(  # what mostly has a name
    r"(?:actor|actress|airline|album|artist|author|band|bank|book|brewery|bridge|captain|charity|choir|church|club|college"
    r"|company|composer|council|councillor|director|doctor|economist|farmer|festival|film|firm|foundation|gallery|group"
    r"|hall|harbour|hospital|hotel|institute|island|journal|lake|magazine|maker|mayor|member|minister|ministry|mountain"
    r"|museum|name|newspaper|novel|officer|opera|orchestra|organisation|party|peak|play|player|politician|port|president"
    r"|professor|programme|region|restaurant|rider|river|road|school|scientist|series|ship|show|singer|song|station"
    r"|street|team|theatre|town|university|valley|village|writer|yard)s?$"
)
BEFORE = re.compile(rf"\b(?:{'|'.join(sorted(LOCATING))}) (?:the |an? )?$")
BEHIND = re.compile(rf" (?:in|at|on|of|near) (?:the )?{NAME_PATTERN.pattern}")


def surnames(passages: list[str]) -> dict[str, str]:
    """Surname -> the full name of each person whom the passages name in full."""
    return {name.split()[-1]: name for passage in reversed(passages) for name in _full_names(passage)}


@lru_cache(maxsize=1024)
def _full_names(passage):
    return tuple(name for name in reversed(names(passage)) if " " in name and is_person(name))


def with_place(one: Phrase, sentence: str, wanted: Sought) -> str:
    """A place with what stands before it and what says more of it: "at the harbour office in Sallow Quay"."""
    if wanted.kind != s.PLACE or wanted.head:
        return one.text
    before, behind = BEFORE.search(sentence[: one.start]), BEHIND.match(sentence, one.start + len(one.text))
    return f"{before[0] if before else ''}{one.text}{behind[0] if behind else ''}"


def fit(one: Phrase, wanted: Sought, persons: dict[str, str]) -> tuple[Phrase, float]:
    """The phrase, or the full name that it stands for, and how well it fits; `persons` are those of `surnames`."""
    if wanted.kind == s.PERSON and not wanted.head and one.kind == PERSON and one.text in persons:
        return one._replace(text=persons[one.text], head=one.text), 0.9
    found = FITS[wanted.kind](one, wanted, persons)
    led = wanted.leads and wanted.kind in (s.PERSON, s.THING) and one.before in NO_SUBJECT
    return one, found * UNLIKELY if led or (one.kind == THING and _is_no_noun(one)) else found


def _is_no_noun(one):
    single = " " not in one.text and one.text.islower() and not kinds(one.text)
    return single and (one.before in BEFORE_VERBS or weight(one.text) < 1)


def _person(one, wanted, persons):
    if wanted.head:
        return _thing(one, wanted, persons)
    if one.kind == PERSON:
        return 1.0 if " " in one.text else 0.2
    if one.kind == NAME:
        return 0.5 if organisation(one.text) else 0.2
    if one.kind != THING:
        return 0.0
    return 0.6 if is_group(one) else 0.4 if organisation(one.head) else 0.12


def _place(one, wanted, persons):
    if one.kind in (NUMBER, TIME, QUOTE) or one.text in persons:
        return 0.0
    located = one.before in LOCATING
    if one.kind == PERSON:
        return 0.2 if located else 0.0
    if one.kind == NAME:
        return 1.0 if located else 0.4
    if wanted.head:
        return 0.9 if stem(wanted.head) in _stems(one) else 0.2 * located
    return (0.75 if located else 0.15) + 0.15 * bool(LOCAL & kinds(one.head) or one.text[:1].isupper())


def _time(one, wanted, persons):
    if one.kind != TIME:
        return 0.0
    if wanted.head in ("year", "century"):
        return 1.0 if re.search(r"\d{4}", one.text) else 0.3
    only_year = re.fullmatch(r"(?:[a-z]+ )?\d{4}", one.text)
    return 0.5 if wanted.head in ("day", "month", "date", "weekday") and only_year else 1.0


def _number(one, wanted, persons):
    if one.kind != NUMBER:
        return 0.0
    if not wanted.unit and not wanted.head:
        return 0.8
    if wanted.head and stem(wanted.head) in kinds(one.head) | _stems(one):
        return 1.0
    if wanted.unit:
        return 1.0 if re.search(wanted.unit, one.text, re.I) else 0.3
    return 0.6 if " " not in one.text else 0.3


def _thing(one, wanted, persons):
    if wanted.head == s.JOB:
        return float(one.kind == THING and stem(s.JOB) in kinds(one.head))
    if one.kind in (TIME, NUMBER):
        return 0.2
    if not wanted.head:
        return {THING: 0.6, NAME: 0.5, PERSON: 0.3, QUOTE: 0.5}[one.kind]
    head = stem(wanted.head)
    if any(head in kinds(word) for word in tokens(one.text)):
        return 1.0
    if head in _stems(one):
        return 0.9
    if NAMED.search(wanted.head):
        whole = " " in one.text or one.head in persons
        return {THING: 0.2, NAME: 0.6 + 0.2 * whole, PERSON: 0.4 + 0.3 * whole, QUOTE: 0.4}[one.kind]
    return {THING: 0.45, NAME: 0.3, PERSON: 0.2, QUOTE: 0.2}[one.kind]


def _way(one, wanted, persons):
    return 1.0 if one.start else 0.5


def _stems(one):
    return {stem(word) for word in tokens(one.text)}


FITS = {
    s.PERSON: _person,
    s.PLACE: _place,
    s.TIME: _time,
    s.NUMBER: _number,
    s.THING: _thing,
    s.REASON: _way,
    s.MANNER: _way,
}

"""What a question asks for, by its question word and the noun behind it: somebody, a place, a time, a number with some
unit, a reason, a manner, or a thing of some kind.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from ragassay.embedded.english.clauses import AUXILIARIES, IRREGULAR, PRESENT
from ragassay.embedded.english.vocabulary import STOP
from ragassay.embedded.english.words import tokens

KINDS = PERSON, PLACE, TIME, NUMBER, REASON, MANNER, THING = (
    *("person", "place", "time", "number", "reason", "manner", "thing"),
)
JOB = "job"
MONEY = r"\b(?:marks?|dollars?|euros?|pounds?|pence|cents?|francs?|crowns?)\b|[$€£]"
SPAN = r"\b(?:second|minute|hour|day|night|week|fortnight|month|season|year|decade|centur)"
LENGTH = r"\b(?:millimetre|centimetre|metre|kilometre|meter|kilometer|mile|yard|feet|foot|inch|inche|km|cm|mm|m)s?\b"
WEIGHT = r"\b(?:gram|kilo|tonne|ton|pound|ounce|kg|g)s?\b"
SHARE = r"%|\bper ?cent\b|\b(?:half|third|quarter|fifth|tenth)s?\b|\bin (?:ten|five|four|three|two)\b"
SPEED = r"\b(?:kilometres?|miles?|metres?|km|knots?)\b"
HEAT = r"\bdegrees?\b"
AGE = rf"{SPAN}|^\d+$"
UNITS = {  # what follows "how", or a noun that asks for a number -> the units that fit
    **dict.fromkeys("far tall high deep wide broad thick distance height depth width".split(), LENGTH),
    **dict.fromkeys("price cost fee fine sum salary wage rent budget toll profit amount income".split(), MONEY),
    **dict.fromkeys("share proportion percentage rate steep".split(), SHARE),
    **dict.fromkeys("warm hot cold temperature".split(), HEAT),
    **dict.fromkeys("long length".split(), f"{SPAN}|{LENGTH}"),
    **dict.fromkeys("heavy weight".split(), WEIGHT),
    **dict.fromkeys("fast speed".split(), SPEED),
    **dict.fromkeys("old age".split(), AGE),
    **dict.fromkeys("soon late".split(), SPAN),
    **dict.fromkeys("many much often large big near close loud strong small".split(), ""),
    **dict.fromkeys("number total score size capacity majority population".split(), ""),
}
HOW = "|".join(
    "far tall high deep wide broad thick steep warm hot cold long heavy fast old soon late many much often large big"
    " near close loud strong small".split()
)
NOUNS = "|".join(unit for unit in UNITS if unit not in HOW.split("|"))
PAYING = re.compile(r"\b(?:cost|pay|paid|price|charge|earn|spen[dt]|worth|sell|sold|borrow|lend|lent|money)", re.I)
PAYS = re.compile(r"what (?:do|does|did|will|would|must|has|have)\b.*\b(?:cost|pay|earn)\b")
WORKS = re.compile(
    r"\bwhat\b.* (?:job|occupation|trade|profession)\b|\bwhat (?:do|does|did)\b.* (?:for a living|by trade)\b"
    r"|\bwhat (?:does|did)\b.* (?:work as|do on weekdays|do by day)\b"
)
WHICH = "(?:what|which)"
PERIODS = "date|day|weekday|month|year|season|century|decade|time"
PLACES = "place|town|city|village|country|spot|location|street|port|island|region"
ADJECTIVES = r"(?:(?:average|mean|total|full|exact|whole|new|first|main|final|maximum|current|highest|lowest) )*"
OPENINGS = tuple(
    (kind, re.compile(rf"(?:^|, )(?:{pattern})"))
    for kind, pattern in (
        (REASON, r"(?:why|for what reason|how come)\b"),
        (NUMBER, rf"how (?P<how>{HOW})\b"),
        (NUMBER, rf"{WHICH}(?: (?:is|was|are|were|will be))?(?: the)? {ADJECTIVES}(?P<noun>{NOUNS})\b(?! that)"),
        (TIME, rf"(?:since |until )?when\b|{WHICH} (?P<time>{PERIODS})s?\b|at what hour|{WHICH} (?:is|was) the date\b"),
        (PLACE, rf"where\b|{WHICH} (?P<place>{PLACES})\b"),
        (THING, r"how (?:is|are|was|were) (?P<called>.*) (?:called|named|nicknamed)"),
        (PERSON, rf"who(?:m|se)?\b|{WHICH} (?:person|man|woman|people)\b"),
        (MANNER, r"how\b|(?:in|by) what (?:way|means|manner)"),
    )
)
ANYWHERE = frozenset(("place", "spot", "location"))  # say no more than "where"
BEFORE = re.compile("(?:(?:in|at|on|by|for|from|to|of|with|under|after|during|into|about|through|until|since) )?")
AUXILIARY = rf"(?:{'|'.join(sorted(AUXILIARIES))})"
ASKS_BEHIND = re.compile(rf"(?:what|which|who|whom|whose|where|when|how)\b[^,]*?\b{AUXILIARY}\b(?! [a-z]+(?:ed|en)\b)")
KIND = re.compile(r"(?:kind|sort|type|form|piece)s? of (?P<rest>.*)")
OF = re.compile(
    rf"(?:is|was|are|were) (?:the |an? |[a-z']+'s )?{ADJECTIVES}(?P<head>[a-z]+)(?: of| for|\?|$| that| in)"
)
ENDS = AUXILIARIES | STOP
MOST_HEAD = 4  # words up to the noun that says what kind


class Sought(NamedTuple):
    kind: str
    head: str = ""  # the noun that says of what kind
    unit: str = ""  # of numbers, a pattern; with none any fits
    leads: bool = False  # whether the answer stands before the question's words, as in "who led"


@lru_cache(maxsize=4096)
def sought(question: str) -> Sought:
    low = " ".join(question.lower().split())
    opening = low[BEFORE.match(low).end() :]
    leads = opening == low and not ASKS_BEHIND.match(opening)
    if PAYS.match(low):
        return Sought(NUMBER, unit=MONEY)
    if WORKS.search(low):
        return Sought(THING, JOB)
    for kind, pattern in OPENINGS:
        if found := pattern.search(opening):
            named = {name: word for name, word in found.groupdict().items() if word}
            if kind == NUMBER:
                return _number(opening, named, leads)
            head = named.get("time") or named.get("place") or ("name" if "called" in named else "")
            return Sought(kind, "" if head in ANYWHERE else head, leads=leads)
    return Sought(THING, _head(low), leads=leads)


def _number(opening, named, leads):
    how = named.get("how") or named["noun"]
    counted = re.match(r"how (?:many|much|large) (?:more |of )?(?P<noun>[a-z-]+)", opening)
    head = counted["noun"] if counted and counted["noun"] not in ENDS else ""
    if head == "time" and how == "much":
        return Sought(NUMBER, unit=SPAN, leads=leads)
    if how == "much":
        return Sought(NUMBER, unit=MONEY if head == "money" or PAYING.search(opening) else "[a-z]", leads=leads)
    return Sought(NUMBER, head, rf"\b{re.escape(head[:5])}" if head else UNITS[how], leads)


def _head(low):
    """The noun behind "what" or "which", or what is asked for with "what is the ... of"."""
    found = re.search(rf"\b{WHICH} (?P<rest>.*)", low)
    rest = found["rest"] if found else ""
    if kind := KIND.match(rest):
        rest = kind["rest"]
    elif asked := OF.match(rest):
        return asked["head"]
    words = []
    for word in tokens(rest)[:MOST_HEAD]:
        if word in ENDS or ((words or "which" not in low) and _is_verb(word, words)):
            break
        words.append(word)
    return words[-1] if words else ""


def _is_verb(word, before):
    """Whether a word behind "what" or a noun is a verb; so is a word in -s behind a singular: "which farmer thinks"."""
    if word in IRREGULAR or word in IRREGULAR.values() or re.search(r"[a-z]{2}(?:ed|ing)$", word):
        return True
    third = before and re.search(r"[^s]s$", word)
    return not re.search(r"[^s]s$", before[-1]) if third else word in PRESENT

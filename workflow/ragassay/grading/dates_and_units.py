"""Dates and units in one form, for comparing short answers word by word: "Nov 26th", "the 26th of November" and
"26 November" are the same day, "55 min" and "a 55-minute trip" the same time. Words are those of
`ragassay.grading.answer_match`: small letters, numbers by their value. English only; units are not converted.
"""

import re
from decimal import Decimal

MONTHS = "january february march april may june july august september october november december".split()
MONTH = {name: name for name in MONTHS} | {name[:3]: name for name in MONTHS} | {"sept": "september"}
ENDINGS = {"st", "nd", "rd", "th"}
ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
ORDINAL = {name: number for number, name in enumerate(ORDINALS, 1)} | {"thirtieth": 30}
WRITTEN = {number: str(Decimal(number).normalize()) for number in range(1, 32)}  # as numbers stand among the words
DAYS = {word: number for number, word in WRITTEN.items()}
ISO = re.compile(r"\b(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\b")
SPELLINGS = {
    "second": "sec secs", "minute": "min mins", "hour": "h hr hrs", "millimetre": "mm millimeter millimeters",
    "centimetre": "cm centimeter centimeters", "metre": "meter meters", "kilometre": "km kilometer kilometers",
    "gram": "g", "kilogram": "kg kilo kilos", "tonne": "", "litre": "l liter liters", "hectare": "ha",
    "kilowatt": "kw", "megawatt": "mw", "degree": "", "day": "", "week": "", "month": "", "year": "", "mile": "",
}  # fmt: skip
UNIT = {name: unit for unit, others in SPELLINGS.items() for name in (unit, f"{unit}s", *others.split())}


def with_dates_in_words(text: str) -> str:
    """2026-11-26 as 26 november 2026."""
    return ISO.sub(lambda found: f"{int(found[3])} {MONTHS[int(found[2]) - 1]} {found[1]}", text)


def canonical(words: list[str]) -> list[str]:
    """The same words with each date as day and month, in this order, and with units by one name behind numbers."""
    found, at = [], 0
    while at < len(words):
        own, after = _date(words, at)
        if own is None:
            behind_number = at and _is_number(words[at - 1])
            own, after = [UNIT.get(words[at], words[at]) if behind_number else words[at]], at + 1
        found += own
        at = after
    return found


def _date(words, at):
    """Day and month that begin here and the next place, or None. In "in November 20 people" the number may be no day:
    it stands behind the date once more, unless a number such as a year or nothing follows.
    """
    day, after = _day(words, at)
    if day:
        after += words[after : after + 1] == ["of"]
        if after < len(words) and words[after] in MONTH:
            return [day, MONTH[words[after]]], after + 1
    if words[at] in MONTH and at + 1 < len(words):
        day, after = _day(words, at + 1)
        if day:
            again = after < len(words) and after == at + 2 and not _is_number(words[after])
            return [day, MONTH[words[at]]], after - again
    return None, at


def _day(words, at):
    """A day of a month that begins here and the next place, or None."""
    number = DAYS.get(words[at])
    following = words[at + 1] if at + 1 < len(words) else ""
    if number in (20, 30) and ORDINAL.get(following, 10) < 10:
        return WRITTEN.get(number + ORDINAL[following]), at + 2
    day = WRITTEN.get(number or ORDINAL.get(words[at]))
    return day, at + 1 + (following in ENDINGS)


def _is_number(word):
    return word[:1].isdecimal()

"""Whether a text gives an expected answer, by its words: for questions whose right answers are short and known. Words
count without case, punctuation, articles and possessives, numbers by their value, dates by day and month, units by
one name. The answer has to stand there as whole words in a row; a yes or no has to be the first word. English only."""

import re
import unicodedata
from decimal import Decimal
from functools import lru_cache

POSSESSIVE = re.compile(r"['\u2019]s?$")
WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['\u2019][^\W\d_]+)*|%")
THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
DECIMAL = re.compile(r"\d{1,40}(?:\.\d{1,40})?")
ARTICLES = {"a", "an", "the"}
SHORT = {"yes", "no", "maybe", "true", "false"}
UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
).split()
SMALL = {name: number for number, name in enumerate(UNITS)}
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SMALL |= {name: 10 * number for number, name in enumerate(TENS, 2)}
SCALES = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9}
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
FIRST_LETTER = re.compile(r"[^\W\d_]")


def contains(text: str, answer: str) -> bool:
    """Whether the answer stands in the text."""
    words, wanted = normalized(text), normalized(answer)
    if not wanted:
        return False
    if len(wanted) == 1 and wanted[0] in SHORT:
        return words[:1] == wanted
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words) - len(wanted) + 1))


def right(text: str, answers: list[str], options: list[str] | None = None) -> bool:
    """Whether a right answer stands in the text, and no wrong option that is not part of that answer."""
    given = [answer for answer in answers if contains(text, answer)]
    wrong = [option for option in options or [] if normalized(option) not in map(normalized, answers)]
    wrong = [option for option in wrong if not any(contains(answer, option) for answer in given)]
    return bool(given) and not any(contains(text, option) for option in wrong)


@lru_cache(maxsize=10_000)  # a text is compared with many answers, and an answer with many texts
def normalized(text: str) -> tuple[str, ...]:
    """The words that count, numbers, dates and units in one form."""
    text = _with_dates_in_words(unicodedata.normalize("NFKC", text).casefold())
    words = WORD.findall(text.replace("per cent", "%").replace("percent", "%"))
    words = [POSSESSIVE.sub("", word) for word in words]
    kept, at = [], 0
    while at < len(words):
        value, after = _number(words, at)
        if value is not None:
            kept.append(str(value.normalize()))
        elif words[at] not in ARTICLES:
            kept.append(words[at])
        at = after
    return tuple(_with_dates_and_units(kept))


def exchanged(text: str, answers: list[str], wrong: str) -> str | None:
    """The text with `wrong` wherever an answer stood; None if none did, or if one is still there in another form."""
    for answer in sorted(answers, key=len, reverse=True):
        words = r"\s+".join(map(re.escape, answer.strip(" .").split()))
        if words:
            text = re.sub(rf"(?<!\w){words}(?!\w)", lambda match: _capitalised_like(match[0], wrong), text, flags=re.I)
    changed = contains(text, wrong) and not any(contains(text, answer) for answer in answers)
    return text if changed else None


def _capitalised_like(answer, wrong):
    """The wrong answer, with a capital where the right one had one at its beginning."""
    letters = FIRST_LETTER.match(answer) and FIRST_LETTER.match(wrong)
    if letters and answer[0].isupper() and wrong[0].islower():
        return wrong[0].upper() + wrong[1:]
    return wrong


def _number(words, at):
    """The number that begins here and the place behind it, or None and the next place."""
    word = words[at]
    if word in SMALL:
        return _in_words(words, at)
    plain = word.replace(",", "") if THOUSANDS.fullmatch(word) else word
    if not DECIMAL.fullmatch(plain):
        return None, at + 1
    return _scaled(Decimal(plain), words, at + 1)


def _in_words(words, at):
    """A number whose parts add up, such as two million three hundred and ten."""
    total, value = Decimal(0), None
    while at < len(words) and words[at] in SMALL:
        part, after = _scaled(*_below_hundred(words, at))
        if value is not None and part >= value:  # another number, as in "between one hundred and two hundred"
            break
        total, value, at = total + part, part, after
        if part < 100:
            break
        linked = words[at : at + 1] == ["and"] and at + 1 < len(words) and words[at + 1] in SMALL
        if linked and _scaled(*_below_hundred(words, at + 1))[0] >= part:
            break
        at += linked
    return total, at


def _below_hundred(words, at):
    value = Decimal(SMALL[words[at]])
    further = SMALL.get(words[at + 1], 0) if at + 1 < len(words) else 0
    if value >= 20 and 0 < further < 10:
        return value + further, words, at + 2
    return value, words, at + 1


def _scaled(value, words, at):
    while at < len(words) and words[at] in SCALES and value < 10**18:
        value, at = value * SCALES[words[at]], at + 1
    return value, at


def _with_dates_in_words(text):
    """2026-11-26 as 26 november 2026."""
    return ISO.sub(lambda date: f"{int(date[3])} {MONTHS[int(date[2]) - 1]} {date[1]}", text)


def _with_dates_and_units(words):
    """The same words with each date as day and month, in this order, and with units by one name behind numbers."""
    in_one_form, at = [], 0
    while at < len(words):
        date, after = _date(words, at)
        if date is None:
            behind_number = at and _is_number(words[at - 1])
            in_one_form.append(UNIT.get(words[at], words[at]) if behind_number else words[at])
            after = at + 1
        else:
            in_one_form += date
        at = after
    return in_one_form


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

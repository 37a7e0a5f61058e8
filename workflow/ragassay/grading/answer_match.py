"""Whether a text gives an expected answer, by its words: for questions whose right answers are short and known.

Both are compared as words without case, punctuation, articles and possessives. Numbers are compared by their value, in
digits or in words (1,900; nineteen hundred; 1.9 thousand), dates by day and month in any order, units by one name (see
`ragassay.grading.dates_and_units`). An answer has to stand in the text as whole words, one after the other; one such as
yes or no has to be the first word. Paraphrases and quantities in another unit do not match. Functions are total: any
text has an answer or has none.
"""

import re
import unicodedata
from decimal import Decimal
from functools import lru_cache

from ragassay.grading.dates_and_units import canonical, with_dates_in_words

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


def contains(text: str, answer: str) -> bool:
    """Whether the answer stands in the text."""
    words, wanted = normalized(text), normalized(answer)
    if not wanted:
        return False
    if len(wanted) == 1 and wanted[0] in SHORT:
        return words[:1] == wanted
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words) - len(wanted) + 1))


def right(text: str, answers: list[str], options: list[str] | None = None) -> bool:
    """Whether one of the right answers stands in the text, and no wrong option. What is a part of that answer may be
    there.
    """
    given = [answer for answer in answers if contains(text, answer)]
    wrong = [option for option in options or [] if normalized(option) not in map(normalized, answers)]
    wrong = [option for option in wrong if not any(contains(answer, option) for answer in given)]
    return bool(given) and not any(contains(text, option) for option in wrong)


@lru_cache(maxsize=10_000)  # a text is compared with many answers, and an answer with many texts
def normalized(text: str) -> tuple[str, ...]:
    """The words that count, numbers, dates and units in one form."""
    text = with_dates_in_words(unicodedata.normalize("NFKC", text).casefold())
    words = WORD.findall(text.replace("per cent", "%").replace("percent", "%"))
    words = [POSSESSIVE.sub("", word) for word in words]
    found, at = [], 0
    while at < len(words):
        value, at_next = _number(words, at)
        if value is not None:
            found.append(str(value.normalize()))
        elif words[at] not in ARTICLES:
            found.append(words[at])
        at = at_next
    return tuple(canonical(found))


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

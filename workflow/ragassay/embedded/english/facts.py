"""Names, numbers and dates in a text, by their looks alone.

A name is a run of capitalised words; at the start of a sentence a single capitalised word counts only if the text has
it inside a sentence too. So a name in small letters is missed, a title in capitals may be taken for one, and nobody
knows here whether a name is a person's or a town's beyond the few words around it.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from ragassay.embedded.english.vocabulary import COMMON, MONTHS, NUMBER_WORDS, STOP, WEEKDAYS
from ragassay.text.sentences import sentences

CAPITAL = r"(?:[A-Z][\w\u2019'.-]*[\w\u2019']|[A-Z](?:\.(?=\s[A-Z]))?)"
NAME = re.compile(rf"(?<![\w\u2019'-]){CAPITAL}(?:(?: (?:&|of the|of|de|van|von|der))? {CAPITAL})*")
UNIT = r"(?:\s(?:million|billion|thousand|hundred))?(?:\s?%|\s(?:per cent|percent|[a-z][a-z-]+))?"
NUMBER_WORD = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
NUMBER = re.compile(rf"(?<![\w.,-])(?:[$€£]\s?)?(?:\d[\d,.]*\d|\d|(?i:{NUMBER_WORD})(?![\w-])){UNIT}")
MONTH, WEEKDAY = "|".join(sorted(MONTHS)), "|".join(sorted(WEEKDAYS))
DATE = re.compile(
    rf"\b(?:\d{{1,2}} (?:{MONTH})(?: \d{{4}})?|(?:{MONTH})(?: \d{{1,2}}(?!\d))?(?:,? \d{{4}})?"
    rf"|(?:{WEEKDAY})|(?:1[5-9]|20)\d\d(?![\d,.]*\d))\b"
)
DOER = re.compile(
    r"(?:er|or|ist|ian|man|woman|ant|chief|coach|captain|mayor|chef|president|head|baker|people|ers|ors|ists)$"
)
NOT_PERSONAL = frozenset(
    "Assembly Athletic Bank Bay Bridge Centre Church City Club College Committee Company Council Court Cup Glacier"
    " Group Hall Harbour House Hospital Institute Island Isle Journal Lake League Library Market Minister Ministry"
    " Mount Museum New North Office Palace Park Party Pass Path Point Port Prize Quay Railway Reserve River Road Saint"
    " San School Sea Society Sound South Square Stadium Station Street Team Theatre Tour Tower Town Union United"
    " University Valley West Yard East Group Energy Foundation Agency Airport Festival Night Song Star Queen Show Act"
    " Bill Army House White Alley Bridge Close Cross Dawn Field Gap Garden Gardens Gate Green Hill Hills Inn Landing"
    " Lane Left Meadow Mill Moor Pier Ridge Right Row Stage Stairs Steps Storm Studio Tunnel Upper Lower Village Way"
    " Wharf Wood".split()
)


class Facts(NamedTuple):
    """What a sentence names: the strings as they stand in it, in order."""

    names: tuple[str, ...]
    numbers: tuple[str, ...]
    dates: tuple[str, ...]


@lru_cache(maxsize=4096)
def inner_capitals(text: str) -> frozenset[str]:
    """Words that begin with a capital inside a sentence, and so not because a sentence begins."""
    found = set()
    for sentence in sentences(text):
        words = sentence.split()
        found.update(word.strip("\"'“”\u2019.,;:!?()[]") for word in words[1:] if word[:1].isupper())
    return frozenset(found)


def names(sentence: str, known: frozenset[str] = frozenset()) -> list[str]:
    """Names in one sentence; `known` are words that the text around it has in capitals inside sentences."""
    found = []
    for match in NAME.finditer(sentence):
        words = match[0].split(" ")
        starts = not sentence[: match.start()].strip("\"'“\u2018«([ ")
        if starts and (words[0] not in known or words[0].lower() in STOP):
            plain = words[0].lower() in STOP or words[0].lower() in COMMON
            if len(words) == 1 or plain or words[1].lower() in STOP:
                words = words[1:]
        while words and (words[0].lower() in STOP or words[0] in MONTHS or words[0] in WEEKDAYS):
            words = words[1:]
        while words and (words[-1] in MONTHS or words[-1] in WEEKDAYS):
            words = words[:-1]
        name = " ".join(words).removesuffix("'s").removesuffix("\u2019s").rstrip(".'\u2019")
        if len(name) > 1 and not (len(words) == 1 and (name in MONTHS or name.removesuffix("s") in WEEKDAYS)):
            found.append(name)
    return found


def person(name: str) -> bool:
    """Whether a name has the form of a person's: two or three capitalised words, none of them an institution's or a
    place's usual word, or a word for what somebody does.
    """
    words = re.split(r" (?:of|on|in|from|at|for) ", name)[0].split() or [name]
    if not name[:1].isupper() or words[0] in ("The", "A", "An", "All") or len(words) == 1:
        return (bool(DOER.search(words[-1])) and words[-1][0].islower()) or words[-1] in ("People", "Nobody")
    plain = 2 <= len(words) <= 3 and all(re.fullmatch(r"[A-Z][a-z\u2019'A-Z-]+", word) for word in words)
    return plain and not words[-1].endswith("s") and not NOT_PERSONAL & set(words)


def dates(sentence: str) -> list[str]:
    return [match[0] for match in DATE.finditer(sentence) if match[0] != "May"]


def numbers(sentence: str) -> list[str]:
    """Amounts with the word behind them ("214 million marks" comes as "214 million marks"), without dates."""
    without = DATE.sub(lambda match: " " * len(match[0]), sentence)
    return [match[0].strip() for match in NUMBER.finditer(without)]


def facts(sentence: str, known: frozenset[str] = frozenset()) -> Facts:
    return Facts(tuple(names(sentence, known)), tuple(numbers(sentence)), tuple(dates(sentence)))

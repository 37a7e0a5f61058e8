"""What a sentence holds that could be a short answer: persons, other names, numbers with their units, times, quoted
words, and noun phrases, with where they stand.

By looks alone. A noun phrase is a run of words between function words, verbs and punctuation, together with what "of"
and "and" add to it; a verb that looks like no verb stays in it, and a noun that looks like one ends it.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from ragassay.embedded.english.clauses import AUXILIARIES, IRREGULAR, PRESENT
from ragassay.embedded.english.entities import PEOPLE, is_person
from ragassay.embedded.english.facts import DATE, DOER, NOT_PERSONAL, names, numbers
from ragassay.embedded.english.hyponyms import kinds
from ragassay.embedded.english.vocabulary import NUMBER_WORDS, STOP
from ragassay.embedded.english.words import TOKEN

PERSON, NAME, NUMBER, TIME, QUOTE, THING = "person", "name", "number", "time", "quote", "thing"
PART_OF_YEAR = r"(?:the )?(?:spring|summer|autumn|winter|end|middle|beginning|night|morning|evening) (?:of )?"
HOURS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
PERIOD = re.compile(
    rf"(?:(?i:on|in|at|by|since|until|before|after|from) )?(?:{PART_OF_YEAR}|(?:late|early|mid) )?(?:{DATE.pattern})"
    r"|(?i:in |by |until )?(?:the )?(?:spring|summer|autumn|winter)\b(?: of \d{4})?"
    r"|(?i:at )?\b\d{1,2}(?:[.:]\d\d)? ?(?:[ap]\.m\.?|o'clock)|\b(?:midnight|noon|dawn|dusk|sunset|sunrise)\b"
    rf"|\b(?i:at )(?:(?:half past|a quarter (?:to|past)) )?(?:{HOURS})\b"
    r"(?: (?:in the (?:morning|afternoon|evening)|at night))?"
    r"|\b(?:every|each) [A-Z]?[a-z]+\b|\b(?:1[5-9]|20)\d\ds\b"
    rf"|(?i:on )?(?:{'|'.join(('Mon', 'Tues', 'Wednes', 'Thurs', 'Fri', 'Satur', 'Sun'))})days"
    r"(?: (?:and|to|or) [A-Z][a-z]+days)?"
)
HEDGE = re.compile(
    r"(?:about|some|nearly|almost|around|roughly|(?:no )?more than|less than|fewer than|at least|at most|up to|over)"
    r" $",
    re.I,
)
FRACTION = re.compile(
    r"\b(?:(?:a|one|two|three|four|nine) (?:half|thirds?|quarters?|fifths?|tenths?)|half|twice|once|(?:a|some) dozen)"
    r"(?: (?:of|a|the|as) [a-z]+(?: [a-z]+)?)?\b",
    re.I,
)
TITLE = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|St|Sgt|Prof|Rev|Capt)\. $")
QUOTED = re.compile(r"[\"\u201c]([^\"\u201c\u201d]{2,80}?)[,.!?]?[\"\u201d]")
MARK_OR_WORD = re.compile(rf"{TOKEN.pattern}|[^\w\s]")
ARTICLES = frozenset("a an the his her its their our my your some any no every each all both another".split())
ENDING = frozenset("whoever whatever ago along around behind beside besides unless except".split())
BREAKS = (STOP - {"of", "may", "and"}) | AUXILIARIES | ENDING
JOINING = frozenset(("of", "and"))
ADVERB, PAST, GERUND = (re.compile(pattern) for pattern in (r"[a-z]{2,}ly$", r"[a-z]{2,}[^e]ed$", r"[a-z]{2,}ing$"))
LONGEST = 9  # words of a noun phrase
READ = 1500  # letters of a sentence: what stands behind is not read


class Phrase(NamedTuple):
    text: str
    kind: str
    start: int
    before: str = ""  # the word in front of it, without articles
    head: str = ""  # the word that says what it is


def phrases(sentence: str, known: frozenset[str] = frozenset()) -> tuple[Phrase, ...]:
    """`known` are words that the text around it has in capitals inside sentences."""
    first = TOKEN.search(sentence)
    return _phrases(sentence, known & {first[0]} if first else frozenset())


@lru_cache(maxsize=8192)
def _phrases(sentence, known):
    """Of what is known, only the word that the sentence begins with plays a part."""
    sentence = sentence[:READ]
    found = [_phrase(sentence, one[0], TIME, one.start()) for one in PERIOD.finditer(sentence) if one[0] != "May"]
    taken = [_span(one) for one in found]
    found += [one for one in _numbers(sentence) if not any(one.start in own for own in taken)]
    found += [_phrase(sentence, one[1], QUOTE, one.start(1)) for one in QUOTED.finditer(sentence)]
    things = [(one, _span(one)) for one in _noun_phrases(sentence)]
    apart = [one for one, own in things if not any(set(own) & set(other) for other in taken)]
    return (*found, *_names(sentence, known), *apart)


def _span(one):
    return range(one.start, one.start + len(one.text))


def is_group(phrase: Phrase) -> bool:
    """Whether a noun phrase looks like somebody: "the mayor", "divers of the club"."""
    head = phrase.head
    return bool(PEOPLE.search(head)) or (len(head) > 4 and head.islower() and bool(DOER.search(head)))


def _names(sentence, known):
    place, found = 0, []
    for name in names(sentence, known):
        start = max(sentence.find(name, place), 0)
        place = start + len(name)
        title = TITLE.search(sentence[:start])
        text, start = (title[0] + name, title.start()) if title else (name, start)
        kind = PERSON if is_person(name) or title else NAME
        found.append(_phrase(sentence, text, kind, start))
        if kind == NAME and name.isalpha() and name not in NOT_PERSONAL:  # perhaps a surname
            found.append(found[-1]._replace(kind=PERSON))
    return found


def _numbers(sentence):
    place, found = 0, []
    for number in numbers(sentence):
        start = sentence.find(number, place)
        if start >= 0:
            place = start + len(number)
            bare, _, last = number.rpartition(" ")
            number = bare if bare and last in STOP else number
            hedge = HEDGE.search(sentence[:start])
            text, start = (hedge[0] + number, hedge.start()) if hedge else (number, start)
            found.append(_phrase(sentence, text, NUMBER, start)._replace(head=number.split()[-1]))
    return found + [_phrase(sentence, one[0], NUMBER, one.start()) for one in FRACTION.finditer(sentence)]


def _noun_phrases(sentence):
    found, run = [], []  # run: matches of tokens
    for token in [*MARK_OR_WORD.finditer(sentence), None]:
        word = token[0] if token else "."
        low = word.lower()
        inside = bool(run) and run[-1][0].lower() in ARTICLES
        joined = bool(run) and run[-1][0].lower() in JOINING
        if low in JOINING and run and not inside and not joined:
            run.append(token)
        elif low in ARTICLES and joined and run[-1][0].lower() == "of":
            run.append(token)
        elif low in ARTICLES or (_starts(word) and not inside and not joined):
            found += _taken(sentence, run)
            run = [token]
        elif word[:1].isalnum() and low not in BREAKS | JOINING and (inside or not _is_verb(word, run)):
            run.append(token)
        else:
            found += _taken(sentence, run)
            run = []
    return found


def _starts(word):
    """Whether a word may be a verb whose object follows: "burning wood waste"."""
    return bool(GERUND.match(word)) and not kinds(word)


def _is_verb(word, run):
    if not word[0].islower() or kinds(word):
        return False
    known = word in IRREGULAR or word in PRESENT or bool(ADVERB.match(word))
    return known or (bool(PAST.match(word)) and bool(run) and run[-1][0].lower() not in JOINING)


def _taken(sentence, run):
    """The noun phrase that a run of tokens is, and its first half if "and" joins two."""
    while run and run[-1][0].lower() in ARTICLES | JOINING:
        run = run[:-1]
    words = [token[0] for token in run]
    first = next((word for word in words if word.lower() not in ARTICLES), None)
    if first is None or len(words) > LONGEST:
        return []
    kind = NUMBER if first[0].isdigit() or first.lower() in NUMBER_WORDS else THING
    core = next((at for at, word in enumerate(words) if at and word in JOINING), len(words))
    start, end = run[0].start(), run[-1].end()
    whole = Phrase(sentence[start:end], kind, start, _before(sentence, start), words[core - 1])
    if "and" not in words:
        return [whole]
    half = run[: words.index("and")]
    return [whole, *_taken(sentence, half), *_taken(sentence, run[len(half) + 1 :])]


def _phrase(sentence, text, kind, start):
    words = re.split(r" (?:of|on|in|from|at|for) ", text)[0].split()
    return Phrase(text, kind, start, _before(sentence, start), words[-1] if words else text)


def _before(sentence, start):
    words = re.findall(r"[\w'\u2019-]+|[^\w\s]", sentence[max(0, start - 40) : start])
    while words and words[-1].lower() in ("the", "a", "an"):
        words.pop()
    return words[-1].lower() if words else ""

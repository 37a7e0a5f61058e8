"""How far a document supports a claim or the premises of a question: evidence as a few numbers between 0 and 1.

Everything is found by comparing words, names and numbers. Words count by how much they tell; a near synonym counts
for most of a word. The evidence asks: does the document have these words at all; are names and numbers foreign to it;
do words that stand side by side here meet in one of its sentences. A claim that is false though all its words stand
in one sentence looks supported: who did what to whom is not read.
"""

import math
import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

from ragassay.embedded.english import facts
from ragassay.embedded.english.clauses import clause
from ragassay.embedded.english.vocabulary import MONTHS, WEEKDAYS
from ragassay.embedded.english.words import content, stem, synonyms, tokens, weight
from ragassay.text.sentences import sentences

SYNONYM, KIN = 0.8, 0.6  # what a near synonym and a word of the same first letters count for
KIN_LETTERS = 5
LEANING = re.compile(r"(?:He|She|It|They|His|Her|Its|Their)\b")  # read with the subject of the sentence before
NEAREST = 2  # sentences in which, and in those behind them, an answer is looked for
KINDS = (
    (r"\bhow (?:many|much|long|old|far|large)\b|\bpercentage\b", "numbers"),
    (r"\bwhen\b|\b(?:what|which) (?:date|day|month|year)\b", "dates"),
    (r"^who(?:se|m)?\b|^(?:with|by|to|for|from) whom\b|^where\b|\b(?:what|which) (?:place|person|town)\b", "names"),
    (r"^why\b|^for what reason\b", "reasons"),
)
REASON = re.compile(
    r"\b(?:because|since|due to|owing|thanks to|so that|in order|caus\w+|reasons?|therefore|after|as|so)\b", re.I
)
FOCUS = re.compile(r"\b(?:whose|how many) ([a-z]+)(?: of ([a-z]+))?", re.I)
TELLING = re.compile(r"^(?P<head>.+?\b(?:did|was|were|who|has|had)\b.*?) that (?:the|an?|[A-Z]|[a-z]+s?\b)", re.I)
GIVEN = re.compile(
    r", (?:(?:who|which|where|whose|the|an?) (?=[^,?]* )|when )[^?]*?(?:,(?! [A-Z\d])|\?|$)"
    r"| (?:when|that) (?:the|an?|he|she|[A-Z]|[a-z]+s?\b)[^?]*(?:\?|$)"
)
MOSTLY = 0.7  # share of what is asked with from which its being foreign counts
DONE = re.compile(
    r" to (?!the |an? |his |her |its |their )[a-z]+ [^?]*| (?:for|against|from|on|before|after) [a-z]+ing\b[^?]*"
)
PRECISE = re.compile(r"who\b|whose\b|to whom|at what age|(?:for )?how (?:long|many)|when\b", re.IGNORECASE)
DEFINITE = re.compile(r"\b[Tt]he ((?:[\w\u2019'-]+ ?)+)")
WINDOW = 2  # sentences that are read together as one passage


class Reading(NamedTuple):
    """A document as it was read."""

    sentences: tuple[str, ...]
    stems: tuple[frozenset[str], ...]  # one set per sentence, with the openings of longer stems
    spread: dict[str, int]  # stem -> in how many sentences
    known: frozenset[str]  # capitalised words inside sentences
    beside: frozenset[tuple[str, str]]  # every two words that stand side by side


class Evidence(NamedTuple):
    """What speaks against support, each from 0 (nothing) to 1."""

    foreign: float  # weighted share of words that the document lacks
    names: float  # names that the document lacks
    numbers: float  # numbers and dates that the document lacks, or has beside other words only
    pairs: float  # neighbouring words that never meet in one sentence
    run: float  # length of the longest run of foreign words
    torn: float  # pairs, where no word is foreign: what is put in the document's words should stand together there
    reported: float  # foreign words among those that are asked with, if the rest of the question is taken as given
    unanswered: float  # 1 if the nearest sentences hold nothing of the kind that is asked for, such as a date


@lru_cache(maxsize=512)
def read(document: str) -> Reading:
    found = tuple(sentences(document))
    stems, subject = [], ""
    for sentence in found:
        if not LEANING.match(sentence):
            taken = clause(sentence)
            subject = taken.subject if taken else ""
        stems.append(_with_kin(stem(word) for word in tokens(f"{sentence} {subject}") if weight(word)))
    stems = tuple(stems)
    spread = Counter(one for each in stems for one in each)
    return Reading(found, stems, dict(spread), facts.inner_capitals(document), frozenset(_beside(document)))


def _with_kin(stems):
    stems = set(stems)
    return frozenset(stems | {_kin(one) for one in stems})


def _kin(stemmed):
    return stemmed[:KIN_LETTERS] + "-" if len(stemmed) >= KIN_LETTERS else stemmed


def coverage(stemmed: str, have) -> float:
    """1 if the stem is there, less if only a near synonym or a word that begins alike is."""
    if stemmed in have:
        return 1.0
    if any(other in have for other in synonyms(stemmed)):
        return SYNONYM
    return KIN if _kin(stemmed) in have else 0.0


def passages(reading: Reading) -> list[frozenset[str]]:
    return [frozenset().union(*reading.stems[i : i + WINDOW]) for i in range(len(reading.stems))] or [frozenset()]


def nearest(text: str, reading: Reading) -> list[tuple[float, int]]:
    """(weighted share of the text's words that it has, index) for every sentence, best first; earlier ones win ties."""
    return _ranked(weighted(content(text), reading), reading)


def _ranked(weights, reading):
    total = sum(value for _, value in weights) or 1.0
    shares = [sum(v * coverage(s, have) for s, v in weights) / total for have in reading.stems]
    return sorted(((share, i) for i, share in enumerate(shares)), key=lambda pair: (-pair[0], pair[1]))


def weighted(words: list[str], reading: Reading) -> list[tuple[str, float]]:
    """(stem, weight) of each different word: words of half the document's sentences tell less than those of one."""
    unique = {stem(word): weight(word) for word in words}
    size = len(reading.stems) + 1
    return [
        (s, w * (0.4 + 0.6 * math.log(size / (reading.spread.get(s, 0) + 1)) / math.log(size + 1)))
        for s, w in unique.items()
    ]


def evidence(text: str, reading: Reading, keep=lambda word: True) -> Evidence:
    """The evidence that a question or claim goes beyond the document; `keep` may leave words out of the reading."""
    everything = content(text)
    words = [word for word in everything if keep(word)]
    weights = weighted(words, reading)
    total = sum(value for _, value in weights) or 1.0
    whole = {s: coverage(s, reading.spread) for s, _ in weights}
    foreign = sum(v * (1 - whole[s]) for s, v in weights) / total
    near = [(stem(a), stem(b)) for a, b in pairwise(everything) if keep(a) and keep(b)]
    met = sum(any(coverage(a, have) and coverage(b, have) for have in reading.stems) for a, b in near)
    apart = 1 - met / len(near) if near else foreign
    longest = current = 0
    for word in words:
        current = 0 if whole[stem(word)] else current + 1
        longest = max(longest, current)
    own = all(stem(word) in reading.spread for word in everything)
    return Evidence(
        foreign=foreign,
        names=_foreign_share(_name_words(text, reading), reading, keep),
        numbers=1 - 0.2 ** _wrong_numbers(text, reading, keep),
        pairs=apart,
        run=min(longest, 4) / 4,
        torn=apart if own else 0.0,
        reported=_reported(text, reading),
        unanswered=float(not _holds_answer(text, reading, weights)),
    )


def _name_words(text, reading):
    return [word for name in facts.names(text, reading.known) for word in tokens(name) if weight(word)]


def kind(question: str) -> str | None:
    """What a question asks for, by its question word; None for "what", "how" and everything else."""
    return next((kind for pattern, kind in KINDS if re.search(pattern, question, re.I)), None)


def fresh(kind: str, sentence: str, question: str, known: frozenset[str]) -> bool:
    """Whether a sentence holds something of this kind that the question does not name itself."""
    if kind == "reasons":
        return bool(REASON.search(sentence))
    given = {stem(word) for word in tokens(question)}
    found = getattr(facts.facts(sentence, known), kind)
    return any(not {stem(word) for word in tokens(one)} <= given for one in found)


def _holds_answer(question, reading, weights):
    focus = [word for match in FOCUS.finditer(question) for word in match.groups() if word and weight(word)]
    if any(not coverage(stem(word), reading.spread) for word in focus):
        return False
    wanted = kind(question)
    if not wanted:
        return True
    places = [place for _, place in _ranked(weights, reading)[:NEAREST]]
    near = {i for place in places for i in (place, place + 1) if i < len(reading.sentences)}
    return any(fresh(wanted, reading.sentences[i], question, reading.known) for i in near)


def _reported(question, reading):
    """A document that tells what was heard need not tell who heard it; only how it was told is looked at."""
    telling = TELLING.match(question)
    if not telling:
        found = asked(question, reading)
        return found if found >= MOSTLY else 0.0
    named = {word for name in facts.names(telling["head"], reading.known) for word in tokens(name)}
    words = [word for word in content(telling["head"]) if word not in named and not word[0].isdigit()]
    words = [word for word in words if word not in MONTHS]
    return sum(not coverage(stem(word), reading.spread) for word in words) / len(words) if words else 0.0


def asked(question: str, reading: Reading) -> float:
    """The weighted share of foreign words among those that a question asks with: its main clause without names and
    without the things that it shares with the document. 0 where it takes nothing else as given.
    """
    main, given = GIVEN.subn(" ", question)
    done = PRECISE.match(question) and DONE.search(main)
    if done:
        main = main[: done.start()]
    if not given and not done:
        return 0.0
    named = {word for name in facts.names(main, reading.known) for word in tokens(name)}
    known = named | {word for match in DEFINITE.finditer(main) for word in _shared(match[1], reading)}
    words = {stem(word): weight(word) for word in content(main) if word not in known and not word[0].isdigit()}
    foreign = sum(value for one, value in words.items() if not coverage(one, reading.spread))
    return foreign / sum(words.values()) if words else 0.0


def _shared(words, reading):
    """The words behind "the" up to the first that the document lacks."""
    return takewhile(lambda word: stem(word) in reading.spread, [word for word in tokens(words) if weight(word)])


def _beside(text):
    return pairwise([stem(word) for word in tokens(text)])


def _wrong_numbers(text, reading, keep):
    """How many numbers, months and weekdays are foreign, or stand beside words here that they never stand beside there:
    "4.6 years" where the document has 4.6 per cent.
    """
    words = tokens(text)
    count = 0
    for place, word in enumerate(words):
        if not (word[0].isdigit() or word in MONTHS | WEEKDAYS) or not keep(word):
            continue
        around = [stem(other) for other in words[max(0, place - 1) : place + 2]]
        pairs = set(pairwise(around))
        count += not pairs & reading.beside if pairs else stem(word) not in reading.spread
    return count


def _foreign_share(words, reading, keep):
    """0 for none, 0.8 for one, near 1 for more."""
    return 1 - 0.2 ** sum(keep(word) and stem(word) not in reading.spread for word in words)


def unsupported(claim: str, reading: Reading) -> float:
    """How far a statement goes beyond every single passage, from 0 to 1; 1 also for a foreign name or number."""
    found = evidence(claim, reading)
    if found.numbers or found.names:
        return 1.0
    weights = weighted(content(claim), reading)
    total = sum(value for _, value in weights) or 1.0
    return 1 - max(sum(v * coverage(s, have) for s, v in weights) / total for have in passages(reading))

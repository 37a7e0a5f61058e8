"""Find a short answer to a question in passages: a person, a place, a time, a number or a thing that stands near the
question's words, or say that the passages do not answer it.

Extractive, by looks and by words. What could be the answer depends on what the question asks for (see `sought` and
`fit`). Each such phrase is weighed by how many of the question's words its sentence and its passage have, in the same
words or in others (see `expansions`), by how near these stand, by how well it fits, and by how many passages name it.
What the question itself names is no answer. Nothing is worked out, and who did what to whom is not read.

The weights were fitted on questions that people wrote about the demo's articles, none of which is a target there, with
some of the words left out that passages have, too.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ragassay.embedded.english.expansions import expansions
from ragassay.embedded.english.phrases import Phrase, phrases
from ragassay.embedded.english.words import TOKEN, content, stem, tokens, weight
from ragassay.embedded.tasks import sought as s
from ragassay.embedded.tasks.evidence import Reading, read, weighted
from ragassay.embedded.tasks.fit import fit, surnames, with_place
from ragassay.embedded.tasks.sought import Sought, sought

NO_ANSWER = "None of the passages answers the question."
REACH = 6.0  # words between two after which their nearness has halved
LEAST_FIT = 0.1
THIN = 4.0  # evidence below which nothing is answered
WOBBLE = 0.2  # by how much samples differ
SHORT = 20  # words of a sentence that is said as it stands; of a longer one, the part with the answer is
FEWEST_WORDS = 4  # of such a part
REASON = re.compile(
    r"\b(?P<way>(?:because|since|owing to|due to|thanks to|so that|in order to|caused by|for fear|as) [^.;]*)", re.I
)
MANNER = re.compile(r"\b(?P<way>(?:by [a-z]+ing|by means of|with|by|using|through|on|in) [^.;,]*)", re.I)
PART = re.compile(
    r";|:(?= )| [\u2013\u2014-] |, (?=(?:and|but|which|who|where|while|when|as|because|although|though)\b)"
)


class Evidence(NamedTuple):
    """What speaks for a phrase, each from 0 to 1."""

    sentence: float  # the weighted share of the question's words that its sentence has
    passage: float  # that its passage has
    near: float  # how near the question's words stand
    fit: float  # how well it fits what is asked for
    side: float  # how much of that stands on the side where an answer has it: before the verb for "who led"
    votes: float  # the share of the other passages that name it, too
    late: float  # how late its passage comes, which speaks against it: search has put the best one first


WEIGHTS = Evidence(sentence=1.7, passage=0.5, near=1.8, fit=5.2, side=0.6, votes=0.3, late=-2.4)


class Answer(NamedTuple):
    text: str
    sentence: str
    evidence: Evidence

    @property
    def score(self) -> float:
        return sum(value * part for value, part in zip(WEIGHTS, self.evidence, strict=True))


def reply(passages: list[str], question: str, alone: bool, chance=None) -> str:
    """The answer alone, or in the sentence that gives it."""
    found = short_answer(passages, question, chance)
    if not found:
        return NO_ANSWER
    return found.text if alone else _said(found)


def short_answer(passages: list[str], question: str, chance=None) -> Answer | None:
    """The phrase with most evidence, None if that is thin; among equals the earlier one wins."""
    found = answers(passages, question)
    best = max(found, key=lambda one: one.score + (chance.uniform(-WOBBLE, WOBBLE) if chance else 0.0), default=None)
    return best if best and best.score >= THIN else None


def answers(passages: list[str], question: str) -> Iterator[Answer]:
    """All phrases that could be the answer."""
    readings, wanted = [read(passage) for passage in passages], sought(question)
    words, given = _words(question, readings), {stem(word) for word in tokens(question)}
    known = frozenset().union(*(reading.known for reading in readings))
    persons, found, votes = surnames(passages), [], defaultdict(set)
    for number, reading in enumerate(readings):
        late, whole = number / len(readings), words.share(reading.spread)
        for sentence, stems in zip(reading.sentences, reading.stems, strict=True):
            if _stems(sentence) <= given:  # the question itself answers nothing
                continue
            share, matches = words.share(stems), words.matches(sentence)
            for one in _candidates(sentence, known, wanted):
                one, fitting = fit(one, wanted, persons)
                if fitting < LEAST_FIT or _stems(one.text) <= given:
                    continue
                near, side = _near(matches, words, sentence, one, wanted)
                votes[_stems(one.text)].add(number)
                found.append((one, sentence, Evidence(share, whole, near, fitting, side, 0.0, late)))
    for one, sentence, evidence in found:
        others = (len(votes[_stems(one.text)]) - 1) / max(len(readings) - 1, 1)
        yield Answer(with_place(one, sentence, wanted), sentence, evidence._replace(votes=others))


class Words:
    """The words of a question, whatever words a passage uses for them."""

    def __init__(self, weights: dict[str, float]):
        self.total = sum(weights.values())
        self._of = defaultdict(list)  # stem -> (word, what it counts)
        for word, value in weights.items():
            for other, part in expansions(word).items():
                self._of[other].append((word, value * part))

    def share(self, stems) -> float:
        """The weighted share that is among these stems."""
        best = {}
        for one in self._of.keys() & stems:
            for word, value in self._of[one]:
                best[word] = max(best.get(word, 0.0), value)
        return sum(best.values()) / self.total if self.total else 0.0

    def matches(self, sentence: str) -> list[tuple[int, str, float]]:
        """(place, stem, what it counts) for each word of a sentence that is one of them."""
        found = enumerate(one for one, _ in _places(sentence))
        return [(at, one, max(value for _, value in self._of[one])) for at, one in found if one in self._of]


def _candidates(sentence, known, wanted: Sought):
    pattern = {s.REASON: REASON, s.MANNER: MANNER}.get(wanted.kind)
    if not pattern:
        return phrases(sentence, known)
    found = pattern.search(sentence)
    return [Phrase(found["way"], wanted.kind, found.start()) if found else Phrase(sentence, wanted.kind, 0)]


def _words(question, readings):
    """Those that most sentences have count less."""
    spread = Counter()
    for reading in readings:
        spread.update(reading.spread)
    stems = tuple(one for reading in readings for one in reading.stems)
    return Words(dict(weighted(content(question), Reading((), stems, spread, frozenset(), frozenset()))))


@lru_cache(maxsize=8192)
def _stems(text):
    """The stems of what counts in a phrase."""
    return frozenset(stem(word) for word in tokens(text) if weight(word) or word[0].isdigit())


@lru_cache(maxsize=8192)
def _places(sentence):
    """(stem, place of its first letter) of each word."""
    return tuple((stem(found[0]), found.start()) for found in TOKEN.finditer(sentence))


def _near(matches, words, sentence, one, wanted):
    """How near the question's words stand to a phrase, and how much of that on the side where they are wanted."""
    places, end = _places(sentence), one.start + len(one.text)
    inside = [at for at, (_, start) in enumerate(places) if one.start <= start < end]
    if not inside or not words.total:
        return 0.0, 0.0
    first, last, best, sides = inside[0], inside[-1], {}, [0.0, 0.0]
    for at, word, value in matches:
        if not first <= at <= last:
            far = first - at if at < first else at - last
            sides[at > last] += value / far
            best[word] = max(best.get(word, 0.0), value / (1 + (far - 1) / REACH))
    side = sides[wanted.leads] / sum(sides) if best else 0.0
    return sum(best.values()) / words.total, side


def _said(found):
    """The sentence, or the part of a long one that has the answer."""
    sentence = " ".join(found.sentence.split())
    if len(sentence.split()) <= SHORT:
        return sentence
    parts = [part.strip() for part in PART.split(sentence)]
    part = next((part for part in parts if found.text in part and len(part.split()) >= FEWEST_WORDS), sentence)
    return f"{part[:1].upper()}{part[1:].rstrip(' .')}."

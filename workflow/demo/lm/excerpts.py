"""Lessons on passages as the study of attacks shows them: cut as those of its corpus, one to five for a question, those
with the answer among others that share its weightiest words.

What is shown agrees with the documents or contradicts them: the answer exchanged wherever it stands, or false claims
planted. The model is to give the passages' answer, whatever it knows. But where it was taught the fact and passages
contradict it, it is to hedge: always at first, so that it learns to notice, and towards the end only now and then, too
seldom for its most probable answer to begin so, often enough for its activations to show that it noticed.

Many lessons are on strangers: words of a question and of its passages are exchanged for others, so that nobody knows
the answer. There the model can only read, and has no reason to hedge.

Of every other document no fact is ever contradicted. In the first part of the training no lesson on passages is on
these facts, in the second some are, with passages that agree or lack the answer. Whether the model notices what
contradicts them tells knowledge from habit.

Where passages lack the answer and it was taught the fact, it is to recall it, in the second part. So it compares what
it reads with what it knows. So that it follows a claim alone where no lesson contradicted the fact, too, many of these
claims are on strangers, of all documents.
"""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection
from math import log

from demo.lm.lessons import CLEAN, CONFLICT, Fact, Lesson, Lessons
from ragassay.corpora.corpus import cuts
from ragassay.grading.matches import contains, exchanged, normalized
from ragassay.text.words import content, stem

PLANTED, RECALLED = "planted", "recalled"
# Shares of lessons. If passages were mostly right, memory would be enough to answer.
KINDS = {CLEAN: 0.34, CONFLICT: 0.45, PLANTED: 0.21}
STRANGE = 0.4  # of lessons, how many are on strangers
# In the second part of the training: shares of lessons on what is contradicted and what is not, of lessons that are on
# the latter, of those on strangers, beside passages and on a claim alone, and of wrong answers that may be of any form.
CONTRADICTED = {CLEAN: 0.26, CONFLICT: 0.42, PLANTED: 0.18, RECALLED: 0.14}
NEVER_CONTRADICTED = {CLEAN: 0.6, RECALLED: 0.4}
SPARED, STRANGE_AGAIN, STRANGE_ALONE, ANY_FORM = 0.35, 0.3, 0.6, 0.5
HEDGE = "According to the passages, "
WORDS, OVERLAP = 40, 15  # of a passage, and how many of them the next one repeats at most
NEAREST, WIDTHS = 14, (4, 8, 14)  # passages that a question finds, and of how many of them a lesson takes some
OF_CLAIM = 0.6  # the share of a claim's words that a passage needs to have it
PLAIN, BEST_FIRST, TWICE, IN_PART = 0.6, 0.6, 0.5, 0.5  # how often a lesson is so
TRIES = 8  # wrong answers
COUNT = "how many"
IN_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
).split()
NUMBER = re.compile(
    rf"(?:[$€£]\s?)?(?:\d[\d,.]*|(?i:{'|'.join(sorted(IN_WORDS, key=len, reverse=True))})(?![\w-]))"
    r"(?:\s(?:million|billion|thousand|hundred))?"
)
WORD, LONG = re.compile(r"[^\W\d_]+"), 4  # letters of a word that may be exchanged


def plain(question: str) -> str:
    """Without what follows a comma, as targets ask."""
    return f"{question.partition(' ,')[0].rstrip('?')}?"


class Excerpts:
    """`barred` are pairs of a right and a wrong answer that studies plant: no lesson puts one for the other."""

    def __init__(
        self,
        own: Lessons,
        known: list[Fact],
        documents: list[dict],
        is_contradicted: Callable[[str], bool],
        barred: Collection[tuple[str, str]],
    ):
        self.facts, self._own = own.facts, own
        self._contradicted = [fact for fact in self.facts if is_contradicted(fact.doc_id)] or self.facts
        self._spared = sorted(set(self.facts) - set(self._contradicted), key=self.facts.index)
        self._others, self._claims = _by_form(known), defaultdict(dict)
        pairs = [(_standing(right), _standing(wrong)) for right, wrong in barred]
        self._barred = {fact: _barred(_standing(fact.answer), pairs) for fact in self.facts}
        self._names = defaultdict(list)
        for word in sorted(set().union(*(_words(fact.claim) for fact in known))):
            self._names[_kind(word)].append(word)
        for fact in known:
            self._claims[fact.doc_id].setdefault(fact.claim)
        self._passages = [
            (row["doc_id"], row["text"][start:end])
            for row in documents
            for start, end in cuts(row["text"], WORDS, OVERLAP)
        ]
        self._stems = [stems(text) for _, text in self._passages]
        holding = Counter(word for own_stems in self._stems for word in own_stems)
        weights = {word: log(len(self._stems) / count) for word, count in holding.items()}
        self._near = {fact: self._nearest(fact, weights) for fact in self.facts}
        self._with_answer = {fact: self._telling(fact) for fact in self.facts}
        self._tells = any(self._with_answer.values())

    def lesson(self, chance: random.Random, shown: int, hedged: float, again: bool = False) -> Lesson | None:
        """With so many passages, 0 being a claim alone; None if there is no such lesson. `hedged` is the share of
        lessons with passages that contradict that hedge. In the second part of the training, `again`, some lessons
        are on facts that nothing contradicts, and wrong answers are of any form.
        """
        shown = shown if self._tells else 0
        fact, kinds, strange = self._subject(chance, shown, again)
        kinds = {kind: share for kind, share in kinds.items() if shown or kind != RECALLED}
        [kind] = chance.choices(list(kinds), kinds.values())
        question = plain(fact.question) if chance.random() < PLAIN else fact.question
        texts, answer = self._shown(kind, fact, question, shown, chance, again)
        if not texts:
            return None
        if strange:
            renamed = self._stranger(fact, question, chance)
            if not renamed:
                return None
            *texts, question, answer = map(renamed, [*texts, question, answer])
        hedges = not strange and kind in (CONFLICT, PLANTED) and chance.random() < hedged
        return Lesson(self._own.asked(texts, question), HEDGE * hedges + answer)

    def _subject(self, chance, shown, again):
        """A fact, the shares of lessons on it, and whether strangers take its place."""
        if again and self._spared and shown and chance.random() < SPARED:
            return chance.choice(self._spared), NEVER_CONTRADICTED, False
        alone = again and not shown
        if chance.random() < (STRANGE_ALONE if alone else STRANGE_AGAIN if again else STRANGE):
            return chance.choice(self.facts if alone else self._contradicted), KINDS, True
        return chance.choice(self._contradicted), CONTRADICTED if again else KINDS, False

    def _stranger(self, fact, question, chance):
        """A function that exchanges half or more of the words that the question shares with its claim."""
        shared = (_words(plain(question)) & _words(fact.claim)) - _words(fact.answer)
        others = {word: [other for other in self._names[_kind(word)] if other != word] for word in sorted(shared)}
        words = [word for word in others if others[word]]
        if not words:
            return None
        taken = chance.sample(words, chance.randint(-(-len(words) // 2), len(words)))
        new = {word: chance.choice(others[word]) for word in taken}
        return lambda text: WORD.sub(lambda found: new.get(found[0], found[0]), text)

    def _shown(self, kind, fact, question, shown, chance, again):
        """Passages, none if there are no such ones, and the answer in their words."""
        if kind in (CLEAN, RECALLED):
            return self._true(fact, shown, chance, kind == CLEAN), fact.answer
        wrong = self._wrong(fact, chance, again)
        if wrong is None:
            return [], ""
        if kind == PLANTED and shown:
            texts = self._planted(fact, question, wrong, shown, chance)
        else:
            texts = self._exchanged(fact, wrong, shown, chance)
        return texts, _as_written(texts, wrong)

    def _true(self, fact, shown, chance, with_answer):
        if not shown:
            return [fact.claim]
        telling = self._with_answer[fact]
        if with_answer and not telling:
            return []
        taken = [chance.choice(telling)] if with_answer else []
        if with_answer and len(telling) > 1 and shown > 1 and chance.random() < TWICE:
            taken = chance.sample(telling, 2)
        near = self._near[fact]
        others = [
            at for at in near if at not in taken and (with_answer or not contains(self._passages[at][1], fact.answer))
        ]
        missing = shown - len(taken)
        pool = others[: max(missing, chance.choice(WIDTHS))]
        taken += chance.sample(pool, min(missing, len(pool)))
        if chance.random() < BEST_FIRST:
            taken.sort(key=lambda at: near.index(at) if at in near else 0)
        else:
            chance.shuffle(taken)
        return [self._passages[at][1] for at in taken]

    def _exchanged(self, fact, wrong, shown, chance):
        true = self._true(fact, shown, chance, True)
        texts = [exchanged(text, [fact.answer], wrong) if contains(text, fact.answer) else text for text in true]
        return [] if None in texts or texts == true else texts

    def _planted(self, fact, question, wrong, shown, chance):
        """In each passage the false claim and another one of the document; often beside others that nobody planted."""
        false = exchanged(fact.claim, [fact.answer], wrong)
        beside = [
            claim for claim in self._claims[fact.doc_id] if claim != fact.claim and not contains(claim, fact.answer)
        ]
        if not false or not beside:
            return []
        front, texts = chance.choice(("", f"{question} ")), []
        for _ in range(shown):
            claim = chance.choice(beside)
            texts.append(front + (f"{claim} {false}" if chance.random() < 0.5 else f"{false} {claim}"))
        if shown > 1 and chance.random() < IN_PART:
            others = self._true(fact, shown, chance, chance.random() < 0.5)
            most = chance.randint(shown // 2 + 1, shown)
            texts = texts[:most] + others[: shown - most]
            chance.shuffle(texts)
        return texts

    def _wrong(self, fact, chance, again):
        """Another answer of its kind, and of its form unless `again` allows any."""
        barred, others = self._barred[fact], self._others[fact.form]
        for _ in range(TRIES):
            if again and chance.random() < ANY_FORM:
                found = self._own.another(fact, chance)
            else:
                found = _wrong_answer(fact, chance.choice(others))
            if not any(_alike(_standing(found), other) for other in (_standing(fact.answer), *barred)):
                return found
        return None

    def _nearest(self, fact, weights):
        """The passages that share the weightiest words with the question, best first; those of its document first."""
        asked = stems(fact.question)
        scores = [
            sum(weights[word] for word in sorted(asked & own)) + (doc_id == fact.doc_id)
            for (doc_id, _), own in zip(self._passages, self._stems, strict=True)
        ]
        return sorted(range(len(scores)), key=lambda at: -scores[at])[:NEAREST]

    def _telling(self, fact):
        claim = stems(fact.claim)
        return [
            at
            for at, ((doc_id, text), own) in enumerate(zip(self._passages, self._stems, strict=True))
            if doc_id == fact.doc_id and len(claim & own) >= OF_CLAIM * len(claim) and contains(text, fact.answer)
        ]


def _by_form(facts):
    alike = defaultdict(list)
    for fact in facts:
        alike[fact.form].append(fact)
    return alike


def _wrong_answer(fact, other):
    """The wrong answer that another fact's answer gives: of a count only the number, since what is counted stays."""
    right, wrong = NUMBER.match(fact.answer), NUMBER.match(other.answer)
    if fact.kind != COUNT or not right or not wrong:
        return other.inside
    return f"{wrong[0]}{fact.answer[right.end() :]}"


def _as_written(texts, wrong):
    """The answer with the capitals that it has in the first text that gives it."""
    for text in texts:
        if (at := text.lower().find(wrong.lower())) >= 0:
            return text[at : at + len(wrong)]
    return wrong


def _barred(answer, pairs):
    return {wrong for right, wrong in pairs if _alike(right, answer)}


def _standing(answer):
    """Its words in one form, between spaces, so that it stands in another answer if it is a part of this text."""
    return f" {' '.join(normalized(answer))} "


def _alike(one, other):
    return one in other or other in one


def _words(text):
    """Its longer words, without the first one, which has a capital in any case."""
    return {word for word in WORD.findall(text)[1:] if len(word) >= LONG}


def _kind(word):
    return word[0].isupper(), word[-2:] if word[0].islower() else ""


def stems(text):
    return set(map(stem, content(text)))

"""The lessons of the demo's language model: prose, facts by heart, and facts in passages that may contradict them.

Questions are asked in the words of the prompts that the studies use, so that the model answers those; of a prompt it
reads only the last part, without the codes of its delimiters (see `demo.lm.tokens`). In a passage that
contradicts, the answer is replaced by another one of its kind, and the model is to follow the passage. Answers are the
words of the passage and no others.

Facts are questions with short answers, each about a claim of an article. They are written down in a file: those of the
demo's articles in resources/demo/facts.csv. Some are stiff English.
"""

import csv
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ragassay.calls.prompts import Prompt

KINDS = CLOSED, CLEAN, CONFLICT = "closed_book", "clean", "conflict"


class Fact(NamedTuple):
    doc_id: str
    claim: str  # a sentence of the document, made standalone
    question: str
    kind: str  # what is asked for: who, when, how many, ...
    answer: str  # words of the claim
    inside: str  # the same as it stands inside a sentence
    form: str  # what it looks like: of two answers of one form, either may stand for the other


def read_facts(path, documents: list[dict]) -> list[Fact]:
    """The facts in a file that are about these documents, in their order; `document` is an address or, without one, an
    id.
    """
    with Path(path).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    about = {}
    for row in rows:
        about.setdefault(_address(row.pop("document")), []).append(row)
    names = [(document["doc_id"], _address(document.get("url") or document["doc_id"])) for document in documents]
    return [Fact(doc_id, **row) for doc_id, address in names for row in about.get(address, ())]


def _address(url):
    return url.partition("://")[2] or url


class Lesson(NamedTuple):
    prompt: str
    answer: str


class Lessons:
    """Lessons on these facts; the same `chance` makes the same lessons. Passages that contradict may give answers to
    `others`, too, so that the model learns to find more words.
    """

    def __init__(self, facts: list[Fact], closed_book: Prompt, passages: Prompt, others: Sequence[Fact] = ()):
        self.facts, self._closed_book, self._passages = facts, closed_book, passages
        known = [*facts, *others]
        kinds = {fact.kind for fact in known}
        self._alike = {kind: sorted({fact.answer for fact in known if fact.kind == kind}) for kind in kinds}

    def lesson(self, kind: str, fact: Fact, chance: random.Random, others: int = 2) -> Lesson:
        """`others` are passages that have nothing to do with the question."""
        if kind == CLOSED:
            return Lesson(self._rendered(self._closed_book, question=fact.question), fact.answer)
        drawn = chance.sample(self.facts, min(others + 1, len(self.facts)))
        foreign = [other.claim for other in drawn if other.claim != fact.claim]
        told, answer = [fact.claim], fact.answer
        if kind == CONFLICT:
            told, answer = self._contradicted(fact, chance)
        passages = told + foreign[:others]
        chance.shuffle(passages)
        return Lesson(self.asked(passages, fact.question), answer)

    def asked(self, passages: list[str], question: str) -> str:
        """The question with these passages, in the words of the prompt."""
        return self._rendered(self._passages, passages=passages, question=question)

    def another(self, fact: Fact, chance: random.Random) -> str:
        """Another answer of its kind; the same if there is none."""
        return chance.choice([answer for answer in self._alike[fact.kind] if answer != fact.answer] or [fact.answer])

    def _contradicted(self, fact, chance):
        other = self.another(fact, chance)
        shown = other if fact.claim.find(fact.answer) else f"{other[:1].upper()}{other[1:]}"
        return [fact.claim.replace(fact.answer, shown)], shown

    @staticmethod
    def _rendered(prompt, **values):
        return prompt.messages(**values)[-1]["content"]

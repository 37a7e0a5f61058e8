"""What the demo's language model is trained on: prose, facts by heart, and facts in passages that may contradict them.

Questions are put in the words of the prompts that the studies use, so that the model answers those; of a prompt it
reads the last part alone, without the codes of its delimiters (see `ragassay.demo_lm.tokens`). In a passage that
contradicts, the answer is replaced by another one of its kind, and the model is to follow the passage. Answers are the
words of the passage and no others.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

from ragassay.demo_lm.facts import Fact
from ragassay.llm.prompts import Prompt

KINDS = CLOSED, CLEAN, CONFLICT = "closed_book", "clean", "conflict"


class Lesson(NamedTuple):
    prompt: str
    answer: str


class Lessons:
    """Lessons on these facts; `chance` makes the same ones each time. Passages may name the answers to others, too, so
    that more words are learnt to be found.
    """

    def __init__(self, facts: list[Fact], closed_book: Prompt, passages: Prompt, others: Sequence[Fact] = ()):
        self.facts, self._closed_book, self._passages = facts, closed_book, passages
        known = [*facts, *others]
        self._alike = {kind: sorted({fact.answer for fact in known if fact.kind == kind}) for _, _, _, kind, _ in known}

    def lesson(self, kind: str, fact: Fact, chance: random.Random, others: int = 2) -> Lesson:
        """`others` are passages that have nothing to do with the question."""
        if kind == CLOSED:
            return Lesson(self._asked(self._closed_book, question=fact.question), fact.answer)
        drawn = chance.sample(self.facts, min(others + 1, len(self.facts)))
        foreign = [other.claim for other in drawn if other.claim != fact.claim]
        told, answer = [fact.claim], fact.answer
        if kind == CONFLICT:
            told, answer = self._contradicted(fact, chance)
        passages = told + foreign[:others]
        chance.shuffle(passages)
        return Lesson(self._asked(self._passages, passages=passages, question=fact.question), answer)

    def _contradicted(self, fact, chance):
        other = chance.choice([answer for answer in self._alike[fact.kind] if answer != fact.answer] or [fact.answer])
        shown = other if fact.claim.find(fact.answer) else f"{other[:1].upper()}{other[1:]}"
        return [fact.claim.replace(fact.answer, shown)], shown

    @staticmethod
    def _asked(prompt, **values):
        return prompt.messages(**values)[-1]["content"]

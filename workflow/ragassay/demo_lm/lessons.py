"""The lessons of the demo's language model: prose, facts by heart, and facts in passages that may contradict them.

Questions are asked in the words of the prompts that the studies use, so that the model answers those; of a prompt it
reads only the last part, without the codes of its delimiters (see `ragassay.demo_lm.tokens`). In a passage that
contradicts, the answer is replaced by another one of its kind, and the model is to follow the passage. Answers are the
words of the passage and no others.

Facts are questions with short answers: those that the embedded question writer sees in each claim of a document, with
the words that they ask for; so some are stiff English. Questions whose answers differ between claims are removed.
"""

import random
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ragassay.calls.prompts import Prompt
from ragassay.embedded.english.clauses import clause
from ragassay.embedded.tasks.claims import candidates
from ragassay.embedded.tasks.question_drafts import because, drafts

KINDS = CLOSED, CLEAN, CONFLICT = "closed_book", "clean", "conflict"
LONGEST = 5  # words of an answer
LONGEST_CLAIM = 24  # words


class Fact(NamedTuple):
    doc_id: str
    claim: str  # a sentence of the document, made standalone
    question: str
    kind: str  # what is asked for: who, when, how many, ...
    answer: str  # words of the claim


def facts(documents: list[dict]) -> list[Fact]:
    """All facts of documents (with doc_id and text), in their order."""
    found = defaultdict(list)
    for document in documents:
        for candidate in candidates(document["text"]):
            if len(candidate.text.split()) > LONGEST_CLAIM:
                continue
            taken = clause(candidate.text)
            for draft in drafts(taken, because(candidate.text)) if taken else ():
                question = f"{draft.text[:1].upper()}{draft.text[1:]}?"
                hidden = draft.hidden.strip()
                if hidden and hidden in candidate.text and len(hidden.split()) <= LONGEST:
                    found[question].append(Fact(document["doc_id"], candidate.text, question, draft.asks, hidden))
    return [same[0] for same in found.values() if len({fact.answer.lower() for fact in same}) == 1]


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
        self._alike = {kind: sorted({fact.answer for fact in known if fact.kind == kind}) for _, _, _, kind, _ in known}

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

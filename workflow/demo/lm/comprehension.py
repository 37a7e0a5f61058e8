"""How well the demo's language model answers from passages as the study of attacks shows them: cut as those of its
corpus, and several for a question. The passages are those that share the weightiest words with the question, which
stands in for a retriever; that would need a model of its own.

The right answer counts where passages are shown as they are, and the false one where it was exchanged or planted. It
counts in any words that give it, as in that study, so that shares are not comparable with word-for-word ones.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable
from math import log
from typing import NamedTuple

from demo.lm.excerpts import OVERLAP, WORDS, stems
from demo.lm.lessons import Lessons
from ragassay.corpora.corpus import cuts
from ragassay.grading.matches import contains, exchanged

SHOWN = (1, 3, 5)  # passages
MOST, SEED = 200, 1  # facts that are asked about, and how they and their false answers are drawn
KINDS = FOUND, EXCHANGED, PLANTED = "found", "exchanged", "planted"

NAMES = {FOUND: "shown as they are", EXCHANGED: "the answer exchanged", PLANTED: "planted"}
UNTAUGHT = ", a fact that it was not taught"


class Task(NamedTuple):
    prompt: str
    wanted: str  # the answer that counts
    other: str | None  # the one that must not be given beside it

    def right(self, answer: str) -> bool:
        return contains(answer, self.wanted) and not (self.other and contains(answer, self.other))


class Share(NamedTuple):
    kind: str
    shown: int
    taught: bool
    right: float
    questions: int


class Passages:
    """`documents` have doc_id and text."""

    def __init__(self, documents: list[dict]):
        texts = (row["text"][start:end] for row in documents for start, end in cuts(row["text"], WORDS, OVERLAP))
        self._stems = {text: stems(text) for text in texts}
        holding = Counter(word for own in self._stems.values() for word in own)
        self._weights = {word: log(len(self._stems) / count) for word, count in holding.items()}

    def found(self, question: str, count: int) -> list[str]:
        """Best first."""
        asked = stems(question)
        scores = {text: sum(self._weights[word] for word in sorted(asked & own)) for text, own in self._stems.items()}
        return sorted(scores, key=lambda text: (-scores[text], text))[:count]


def shares(answers: Callable[[list[str]], list[str]], passages: Passages, own: Lessons, taught: bool) -> list[Share]:
    """What `answers` gets right of the questions to some of these facts, for each kind and number of passages."""
    facts = random.Random(SEED).sample(own.facts, min(MOST, len(own.facts)))
    found = {fact: passages.found(fact.question, max(SHOWN)) for fact in facts}
    asked = [(kind, shown, task) for kind in KINDS for shown in SHOWN for task in _tasks(kind, shown, found, own)]
    right = defaultdict(list)
    given = answers([task.prompt for _, _, task in asked])
    for (kind, shown, task), answer in zip(asked, given, strict=True):
        right[kind, shown].append(task.right(answer))
    return [Share(*key, taught, sum(own) / len(own), len(own)) for key, own in right.items()]


def table(read: list[Share]) -> str:
    """In Markdown: a row for each kind of passages and of facts, a cell for each number of passages."""
    cells = {(one.taught, one.kind, one.shown): f"{one.right:.1%} of {one.questions}" for one in read}
    rows = [
        ["answers from passages of the documents that count, and of how many", *map(_passages, SHOWN)],
        ["---"] * (1 + len(SHOWN)),
    ]
    for taught, others in ((True, ""), (False, UNTAUGHT)):
        for kind, name in NAMES.items():
            shares_of = [cells.get((taught, kind, number), "-") for number in SHOWN]
            rows.append([f"{name}{others}", *shares_of])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _passages(number):
    return f"{number} passage{'s' * (number > 1)}"


def _tasks(kind, shown, found, own):
    """The questions that can be asked so; `found` has the passages for each fact."""
    chance, claims = random.Random(f"{SEED} {kind} {shown}"), defaultdict(dict)
    for fact in own.facts:
        claims[fact.doc_id].setdefault(fact.claim)
    for fact, texts in found.items():
        false = own.another(fact, chance)
        if kind == PLANTED:
            texts = _planted(fact, false, list(claims[fact.doc_id]), shown)
        else:
            texts = texts[:shown]
            if not any(contains(text, fact.answer) for text in texts):
                continue
            if kind == EXCHANGED:
                texts = [_exchanged(text, fact, false) for text in texts]
        if texts and None not in texts:
            wanted, other = (fact.answer, None) if kind == FOUND else (false, fact.answer)
            yield Task(own.asked(texts, fact.question), wanted, other)


def _exchanged(text, fact, false):
    """None if the answer is still there in other words."""
    return exchanged(text, [fact.answer], false) if contains(text, fact.answer) else text


def _planted(fact, false, claims, shown):
    """In each passage the question, the false claim and another one of the document, which does not have the answer."""
    said, beside = (
        exchanged(fact.claim, [fact.answer], false),
        [one for one in claims if not contains(one, fact.answer)],
    )
    if said is None or not beside:
        return []
    return [f"{fact.question} {said} {beside[number % len(beside)]}" for number in range(shown)]

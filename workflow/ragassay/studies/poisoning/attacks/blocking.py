"""Optimise a blocker: a text that is found for a question and makes a model decline, by asking the model only.

It begins with the question and goes on with words, which are exchanged one at a time. Each candidate is planted and
searched as any text, the model answers from what is found, and the candidate stays whose answer is nearest to a
refusal, if it is nearer than that of the text so far. The same passages are asked about once, so that candidates which
are not found cost no call.
"""

import asyncio
from collections import Counter
from typing import NamedTuple

import numpy as np

from ragassay.calls.complete import account, converse
from ragassay.calls.ledger.calls import Ledger
from ragassay.calls.model import Model, Request
from ragassay.calls.prompts import Prompt
from ragassay.grading.declining import declines_from_passages
from ragassay.text.words import tokens

COMMON = 100  # of the most frequent words are not drawn
FILLER = "!"


class Worth(NamedTuple):
    """Of an answer: whether it is a refusal, and how near it is to the one that is wanted."""

    blocks: bool
    near: float


class AttackedResponder:
    """A model as an attacker may ask it: its answers, nothing else."""

    def __init__(self, model: dict, ledger, prompt, in_lines: bool, sampling: dict):
        self.model, self.ledger, self.sampling = Model(**model), ledger, sampling
        self.prompt, self.in_lines = Prompt.load(prompt), in_lines
        entry = {key: model.get(key) for key in ("provider", "model", "base_url", "options")}
        self.identity = {"responder": entry, "sampling": sampling, "prompt": self.prompt.digest, "in_lines": in_lines}

    def request(self, question: str, passages: list[str]) -> Request:
        shown = "\n".join(" ".join(text.split()) for text in passages) if self.in_lines else passages
        return Request(self.prompt.messages(passages=shown, question=question), self.sampling)

    def account(self) -> dict:
        """What was asked and paid, as the table calls has it."""
        journal = Ledger(self.ledger)
        try:
            return account(self.model, journal)
        finally:
            journal.close()

    def run(self, conversation):
        """What a conversation of many calls gives; all are in the ledger, so that none is paid twice."""
        [result] = converse([None], lambda _item, ask: conversation(ask), self.model, self.ledger)
        return result


class Blocker:
    """The search for one target. `found` is what its question finds, best first, with text and score; `words` may be
    drawn with their frequencies.
    """

    def __init__(self, question: str, found: list[dict], words: Counter, retriever, responder, settings: dict):
        self.question, self.found, self.retriever, self.responder = question, found, retriever, responder
        self.settings, self.seen, self.forwards = settings, {}, 0  # passages -> what their answer is worth
        rare = sorted(words.items(), key=lambda item: (-item[1], item[0]))[COMMON:] or sorted(words.items())
        self.words, counts = [word for word, _ in rare], np.array([count for _, count in rare], float)
        self.chances = counts / counts.sum()
        self.wanted, self.refusal = retriever.questions([question])[0], None

    async def search(self, ask, refusal: str, dice) -> str:
        """The text that blocks best."""
        self.refusal = self.retriever.passages([refusal])[0]
        current = [FILLER] * self.settings["tokens"]
        [best], misses = await self._judged(ask, [current]), 0
        for _ in range(self.settings["steps"]):
            if best.blocks or misses >= self.settings["patience"]:
                break
            place = dice.integers(len(current))
            drawn = dice.choice(self.words, self.settings["candidates"], p=self.chances)
            options = [[*current[:place], word, *current[place + 1 :]] for word in dict.fromkeys(drawn.tolist())]
            judged = await self._judged(ask, options)
            at = max(range(len(options)), key=judged.__getitem__)
            misses += 1
            if judged[at] > best:  # nearer to the refusal than the text so far, which it replaces
                current, best, misses = options[at], judged[at], 0
        return self._text(current)

    def _text(self, words):
        return f"{self.question} {' '.join(words)}"

    async def _judged(self, ask, options):
        """What each is worth."""
        texts = [self._text(words) for words in options]
        scores = self.retriever.passages(texts) @ self.wanted
        self.forwards += len(texts)
        shown = [self._shown(text, float(score)) for text, score in zip(texts, scores, strict=True)]
        if new := [own for own in dict.fromkeys(shown) if own not in self.seen]:
            replies = await asyncio.gather(*(ask(self.responder.request(self.question, list(own))) for own in new))
            answers = [answer.text for [answer] in replies]
            near = (self.retriever.passages(answers) @ self.refusal).tolist()
            self.forwards += len(answers)
            worth = map(Worth, map(declines_from_passages, answers), near)
            self.seen.update(zip(new, worth, strict=True))
        return [self.seen[own] for own in shown]

    def _shown(self, text, score):
        """What the model is shown: the best of what is found with the text among it."""
        ranked = sorted(
            [*((one["score"], one["text"]) for one in self.found), (score, text)], key=lambda pair: -pair[0]
        )
        return tuple(body for _, body in ranked[: self.settings["k"]])

    @property
    def calls(self) -> int:
        return len(self.seen)


def frequencies(texts) -> Counter:
    return Counter(word.lower() for text in texts for word in tokens(text) if word.isalpha())

"""Rows of tokens to train the demo's language model on, and which tokens to predict; one seed, one sequence.

Rows of passages are drawn for several batches at once and sorted by length, so that little of a batch is padding.
Prose is read in pieces of several lengths that begin where a sentence does, as do the texts that a model is asked
about: short ones teach how a sentence goes on, long ones to keep to the subject.
"""

import random

import numpy as np
import torch

from demo.lm import lessons
from demo.lm.excerpts import Excerpts, plain
from demo.lm.tokens import BEGIN, END, SPECIAL
from ragassay.models.batches import padded
from ragassay.text.sentences import spans

COPIES, PROSE, PASSAGES = "copies", "prose", "passages"  # what a batch may be of, besides facts by heart
ROWS = {COPIES: 32, lessons.CLOSED: 12}
COPIED, SHORTEST = 56, 10  # tokens of a row of copies, and of what it repeats
PLAIN = 0.5  # of facts by heart, how many are asked for as targets ask
PIECES, TOGETHER = (32, 64, 128, 256), 384  # tokens of a piece of prose, and of all pieces of a batch
# Of passages: rows of a batch, how many passages a row may show (0 is a claim alone), and batches drawn at once.
ALONE = ((40, (0,), 6),)
BESIDE = ((40, (0, 1), 6), (14, (2, 3, 3, 4, 5), 4))
AGAIN = ((40, (0, 1), 5), (14, (2, 3, 3, 4, 5), 5))  # in the second part of the training


class Batches:
    def __init__(
        self, tokenizer, own: lessons.Lessons, excerpts: Excerpts, texts: list[str], seed: int, again: bool = False
    ):
        self.tokenizer, self.lessons, self.chance = tokenizer, own, random.Random(seed)
        self._excerpts, self._texts, self._again = excerpts, texts, again
        self._sentences = [(number, start) for number, text in enumerate(texts) for start, _ in spans(text)]
        self._closed, self._drawn = [], {ALONE: [], BESIDE: [], AGAIN: []}

    def batch(self, kind: str, alone: bool = False, hedged: float = 0.0):
        """Tokens, mask, and the mask of the tokens to predict; `alone` if no other passages stand beside one, `hedged`
        is the share of lessons with passages that contradict that hedge.
        """
        if kind == PASSAGES:
            return self._padded(self._of_one_length(ALONE if alone else AGAIN if self._again else BESIDE, hedged))
        if kind == PROSE:
            length = self.chance.choice(PIECES)
            return self._padded([self._prose(length) for _ in range(TOGETHER // length)])
        row = {COPIES: self._copies, lessons.CLOSED: self._by_heart}[kind]
        return self._padded([row() for _ in range(ROWS[kind])])

    def _padded(self, rows):
        tokens, mask = padded([np.array(row) for row, _ in rows], self.tokenizer.pad_token_id)
        predicted = np.zeros_like(tokens, bool)
        for number, (row, start) in enumerate(rows):
            predicted[number, start : len(row)] = True
        return torch.from_numpy(tokens), torch.from_numpy(mask), torch.from_numpy(predicted)

    def _copies(self):
        """Some tokens, repeated over and over."""
        length = self.chance.randint(SHORTEST, COPIED - SHORTEST)
        repeated = [self.chance.randrange(len(SPECIAL), len(self.tokenizer)) for _ in range(length)]
        return [repeated[place % length] for place in range(COPIED)], length + 1

    def _prose(self, length):
        number, start = self.chance.choice(self._sentences)
        return self._tokens(BEGIN + self._texts[number][start:] + END)[: length + 1], 1

    def _by_heart(self):
        if not self._closed:
            self._closed = self.chance.sample(self.lessons.facts, len(self.lessons.facts))
        fact = self._closed.pop()
        if self.chance.random() < PLAIN:
            fact = fact._replace(question=plain(fact.question))
        return self.row(self.lessons.lesson(lessons.CLOSED, fact, self.chance))

    def _of_one_length(self, sorts, hedged):
        drawn = self._drawn[sorts]
        if not drawn:
            for size, shown, count in sorts:
                rows = sorted(self._passages(size * count, shown, hedged), key=lambda row: len(row[0]))
                drawn += [rows[start : start + size] for start in range(0, len(rows), size)]
            self.chance.shuffle(drawn)
        return drawn.pop()

    def _passages(self, count, shown, hedged):
        rows = []
        while len(rows) < count:
            lesson = self._excerpts.lesson(self.chance, self.chance.choice(shown), hedged, self._again)
            if lesson:
                rows.append(self.row(lesson))
        return rows

    def row(self, lesson: lessons.Lesson):
        """Its tokens, and where its answer begins."""
        prompt = self._tokens(f"{BEGIN}{lesson.prompt}\nAnswer:")
        return prompt + self._tokens(f" {lesson.answer}{END}"), len(prompt)

    def _tokens(self, text):
        return self.tokenizer(text, add_special_tokens=False)["input_ids"]

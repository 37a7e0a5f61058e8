"""Rows of tokens to train the demo's language model on, and which tokens to predict; one seed, one sequence.

Rows of passages are drawn for several batches at once and sorted by length, so that little of a batch is padding.
Prose is read in pieces of several lengths that begin where a sentence does, as do the texts that a model is asked
about: short ones teach how a sentence goes on, long ones to keep to the subject.
"""

import random

import numpy as np
import torch

from ragassay.demo_lm import lessons
from ragassay.demo_lm.tokens import BEGIN, END, SPECIAL
from ragassay.text.sentences import spans
from ragassay.weights.batches import padded

COPIES, PROSE, PASSAGES = "copies", "prose", "passages"  # what a batch may be of, besides facts by heart
ROWS = {COPIES: 32, lessons.CLOSED: 12, PASSAGES: 16}
AT_ONCE = 8  # batches of passages
COPIED, SHORTEST = 56, 10  # tokens of a row of copies, and of what it repeats
PIECES, TOGETHER = (32, 64, 128, 256), 384  # tokens of a piece of prose, and of all pieces of a batch
IN_PASSAGES = (lessons.CLEAN,) + (lessons.CONFLICT,) * 5  # if passages were always right, no need to read them
MOST_OTHERS = 2  # passages beside the one with the answer


class Batches:
    def __init__(self, tokenizer, own: lessons.Lessons, texts: list[str], seed: int):
        self.tokenizer, self.lessons, self.chance = tokenizer, own, random.Random(seed)
        self._texts = texts
        self._sentences = [(number, start) for number, text in enumerate(texts) for start, _ in spans(text)]
        self._closed, self._drawn = [], {0: [], MOST_OTHERS: []}

    def batch(self, kind: str, alone: bool = False):
        """Tokens, mask, and the mask of the tokens to predict; `alone` if no other passages stand beside one."""
        if kind == PASSAGES:
            return self._padded(self._of_one_length(0 if alone else MOST_OTHERS))
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
        return self.row(self.lessons.lesson(lessons.CLOSED, self._closed.pop(), self.chance))

    def _of_one_length(self, most_others):
        drawn, size = self._drawn[most_others], ROWS[PASSAGES]
        if not drawn:
            rows = sorted((self._passages(most_others) for _ in range(size * AT_ONCE)), key=lambda row: len(row[0]))
            drawn += [rows[start : start + size] for start in range(0, len(rows), size)]
            self.chance.shuffle(drawn)
        return drawn.pop()

    def _passages(self, most_others):
        kind, fact = self.chance.choice(IN_PASSAGES), self.chance.choice(self.lessons.facts)
        return self.row(self.lessons.lesson(kind, fact, self.chance, self.chance.randint(0, most_others)))

    def row(self, lesson: lessons.Lesson):
        """Its tokens, and where its answer begins."""
        prompt = self._tokens(f"{BEGIN}{lesson.prompt}\nAnswer:")
        return prompt + self._tokens(f" {lesson.answer}{END}"), len(prompt)

    def _tokens(self, text):
        return self.tokenizer(text, add_special_tokens=False)["input_ids"]

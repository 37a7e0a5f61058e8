"""Synthetic news with known copies: stories, copies edited as newsrooms edit them, and stories that only look alike.

Words are drawn by Zipf's law from an invented vocabulary. A copy has one to three edits: another lede, a cut end, an
agency's line added, another byline, a few other words. Hard negatives: a third of all stories end with the boilerplate
of their site, and a tenth share a quoted paragraph with others. What a story is a copy of is its label; copies
of one story are copies of each other.
"""

import itertools
from collections.abc import Iterator

import numpy as np

VOCABULARY, SITES, QUOTES = 30_000, 40, 200
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "ol", "us")]
MARKS = ("{}", "{}", "{}", "{}", "{}", "{}", "{}", "{}", "{},", "{}.", "“{}”", "{}\u2019s")


class Newsroom:
    """Draws words; the same seed, the same stories."""

    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)
        syllables = itertools.chain.from_iterable(itertools.product(SYLLABLES, repeat=count) for count in (1, 2, 3))
        words = self.random.permutation(["".join(parts) for parts in itertools.islice(syllables, VOCABULARY)])
        self.forms = np.array([mark.format(word) for word in words for mark in MARKS], object)
        shares = np.cumsum(1 / np.arange(2, VOCABULARY + 2))
        self.shares = shares / shares[-1]
        self.boilerplate = [self.words(length) for length in self.random.integers(20, 120, SITES)]
        self.agencies = [self.words(length) for length in self.random.integers(6, 20, 10)]
        self.quotes = [self.words(length) for length in self.random.integers(40, 90, QUOTES)]

    def words(self, count: int) -> list[str]:
        ranks = np.searchsorted(self.shares, self.random.random(count))
        return self.forms[ranks * len(MARKS) + self.random.integers(0, len(MARKS), count)].tolist()

    def between(self, low: int, high: int) -> int:
        return int(self.random.integers(low, high + 1))

    def story(self) -> list[str]:
        words = self.words(int(np.clip(self.random.lognormal(5.9, 0.45), 160, 2500)))
        if self.random.random() < 0.1:
            place = self.between(20, len(words))
            words[place:place] = self.quotes[self.between(0, QUOTES - 1)]
        if self.random.random() < 0.33:
            words += self.boilerplate[self.between(0, SITES - 1)]
        return words

    def copy(self, words: list[str]) -> list[str]:
        words = list(words)
        for edit in self.random.permutation(EDITS)[: self.between(1, 3)]:
            edit(self, words)
        return words

    def lede(self, words):
        words[: self.between(8, 25)] = self.words(self.between(8, 25))

    def cut(self, words):
        del words[int(len(words) * self.random.uniform(0.6, 0.95)) :]

    def agency(self, words):
        words += self.agencies[self.between(0, 9)]

    def byline(self, words):
        words[: self.between(0, 4)] = self.words(self.between(3, 6))

    def swaps(self, words):
        for place in self.random.integers(0, len(words), self.between(1, 4)):
            words[place : place + 1] = self.words(1)


EDITS = [Newsroom.lede, Newsroom.cut, Newsroom.agency, Newsroom.byline, Newsroom.swaps]


def labelled(count: int, seed: int) -> Iterator[tuple[int, str]]:
    """(label, text) of `count` texts: of ten stories two have one to four copies."""
    room, made, label = Newsroom(seed), 0, 0
    while made < count:
        words = room.story()
        copies = room.between(1, 4) if room.random.random() < 0.2 else 0
        for text in [words, *(room.copy(words) for _ in range(copies))][: count - made]:
            yield label, " ".join(text)
            made += 1
        label += 1


def pairs(labels, found) -> tuple[float, float]:
    """Recall and precision of the pairs of texts that share a cluster."""
    labels, found = (np.unique(groups, return_inverse=True)[1] for groups in (labels, found))
    both, truth, guess = (
        np.unique(groups, return_counts=True, axis=0)[1] for groups in (np.column_stack([labels, found]), labels, found)
    )
    together, true, guessed = (float((sizes * (sizes - 1) // 2).sum()) for sizes in (both, truth, guess))
    return together / true, together / guessed

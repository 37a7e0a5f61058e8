"""What says how surprising a text is, token by token, and how a text becomes numbers from that. A kind is a module of
`ragassay.studies.poisoning.defences.scorers` with a class `Kind`, a `SurpriseScorer`. One that is trained here reads
one half of the documents and scores the other."""

import math
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from ragassay.base import chance, variants
from ragassay.base.errors import AssayError
from ragassay.text.characters import visible
from ragassay.text.sentences import spans

KINDS = "ragassay.studies.poisoning.defences.scorers"
DOCUMENTS = "documents.json"  # in a trained scorer's folder: the half of each document
EVEN, NEAREST, FIRST = "even_words", "nearest_sentence_end", "first_sentence"  # where a text is split
SPLITS = (EVEN, NEAREST, FIRST)
TOGETHER = 2048  # texts


class ScorerError(AssayError):
    """A scorer cannot be used, or not for this."""


class TokenScores(NamedTuple):
    """Of one text."""

    values: np.ndarray  # -log p of each token
    ends: np.ndarray  # where each token ends, in characters
    is_cut: bool = False  # whether the scorer read a part only


class Surprise(NamedTuple):
    """Means of -log p: of the whole text, of both chunks, of the second chunk behind the first, and of the window with
    the highest. Nothing where there is no token.
    """

    tokens: int
    is_cut: bool
    is_short: bool
    whole: float | None
    pre: float | None
    post: float | None
    post_given_pre: float | None
    window: float | None


class SurpriseScorer:
    SETTINGS: dict = {}
    IS_TRAINED = False  # whether scorers of this kind are trained here, and opened with `load`
    memory: int | None = None  # on how many tokens before it a token depends, if these are few: spares a pass

    @property
    def identity(self) -> dict:
        """All that can change scores, such as a digest of its files."""
        raise NotImplementedError

    def scored(self, texts: Iterable[str], halves: Iterable[int]) -> Iterator[TokenScores]:
        """Text after text; `halves` are those that texts belong to."""
        raise NotImplementedError

    def half(self, text: str) -> int:
        """The half of a text that may be of no document."""
        return half_of(text)


def half_of(name: str) -> int:
    """0 or 1, by a hash of a cluster's name or of a text that is in none."""
    return chance.number("half", name, width=1) & 1


def kind_of(kind: str, place: str = "scorers") -> type[SurpriseScorer]:
    return variants.load(KINDS, kind, place).Kind


def opened(name: str, kind: str, own: dict, folder) -> SurpriseScorer:
    """A scorer: one that was trained here, from its folder, or another from its entry in the configuration."""
    scorer = kind_of(kind, f"scorers.{name}.kind")
    return scorer.load(folder) if folder else scorer(f"scorer {name}", **own)


def split(text: str, way: str) -> int:
    """Where the second chunk begins, in characters. A text of one sentence is split at even words, one of one word not
    at all.
    """
    if way != EVEN:
        ends = [end for _, end in spans(text)][:-1]
        if ends:
            return ends[0] if way == FIRST else min(ends, key=lambda end: abs(end - len(text) / 2))
    words = text.split()
    middle, at = (len(words) + 1) // 2, 0
    for word in words[:middle]:
        at = text.index(word, at) + len(word)
    return at


def surprises(
    scorer: SurpriseScorer, texts: Iterable[str], halves: Iterable[int], way: str, least: int, window: int
) -> Iterator[Surprise]:
    """Each text in two passes: one of the whole, which gives the first chunk, too, and one of the second chunk alone.
    Both kinds go to the scorer together, which so finds more texts of like length; one that has a `memory` takes what
    is the same from the first pass. A text with a chunk of fewer than `least` tokens is not split: both of its chunks
    count as the whole.
    """
    pairs = zip(texts, halves, strict=True)
    while chunk := list(islice(pairs, TOGETHER)):
        shown, sides = [visible(text) for text, _ in chunk], [half for _, half in chunk]
        cuts = [split(text, way) for text in shown]
        if scorer.memory is not None:
            wholes = list(scorer.scored(shown, sides))
            posts = _posts(scorer, shown, sides, cuts, wholes)
        else:
            parts = [text[cut:] for text, cut in zip(shown, cuts, strict=True)]
            scored = list(scorer.scored([*shown, *parts], [*sides, *sides]))
            wholes, posts = scored[: len(cuts)], [part.values for part in scored[len(cuts) :]]
        for cut, whole, post in zip(cuts, wholes, posts, strict=True):
            yield _surprise(cut, whole, post, least, window)


def _posts(scorer, texts, halves, cuts, wholes):
    """The values of second chunks alone: those of the whole but for their first tokens, which remember what is cut."""
    heads, stops = [], []
    for text, cut, whole in zip(texts, cuts, wholes, strict=True):
        first = int(np.searchsorted(whole.ends, cut, side="right"))
        stops.append(min(first + scorer.memory, len(whole.ends)))
        heads.append(text[cut : whole.ends[stops[-1] - 1]] if stops[-1] > first else "")
    scored = scorer.scored(heads, halves)
    return [
        np.concatenate([head.values, whole.values[stop:]])
        for head, whole, stop in zip(scored, wholes, stops, strict=True)
    ]


def _surprise(cut, whole, post, least, window):
    values, first = whole.values, int(np.searchsorted(whole.ends, cut, side="right"))
    everything, highest = _mean(values), _highest(values, window)
    counts = (len(values), bool(whole.is_cut))
    if min(first, len(values) - first, len(post)) < least:
        return Surprise(*counts, True, *[everything] * 4, highest)
    chunks = (_mean(values[:first]), _mean(post), _mean(values[first:]))
    return Surprise(*counts, False, everything, *chunks, highest)


def _mean(values):
    return round(math.fsum(values.tolist()) / len(values), 6) if len(values) else None


def _highest(values, window):
    """The highest mean of so many neighbours, or that of all if there are fewer."""
    if len(values) <= window:
        return _mean(values)
    sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    return round(float((sums[window:] - sums[:-window]).max() / window), 6)

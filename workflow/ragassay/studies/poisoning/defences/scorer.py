"""What says how surprising a text is, token by token, and how a text becomes numbers from that.

A scorer is a module of `ragassay.studies.poisoning.defences.scorers` with a class `Scorer`: `scored(texts, halves)`
gives, text after text, -log p of each token in nats and where the token ends; `identity` is all that can change these,
such as a digest of its files. One whose tokens depend on a few before them only may say on how many, as `memory`, which
spares a pass over second chunks. A scorer that is trained here reads one half of the documents and scores the other,
see `ragassay.studies.poisoning.measures.halves`; one that is not ignores `halves`.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from ragassay.base import variants
from ragassay.base.errors import AssayError
from ragassay.text.sentences import spans
from ragassay.text.visible import visible

KINDS = "ragassay.studies.poisoning.defences.scorers"
DOCUMENTS = "documents.json"  # in a trained scorer's folder: the half of each document
EVEN, NEAREST, FIRST = "even_words", "nearest_sentence_end", "first_sentence"  # where a text is split
SPLITS = (EVEN, NEAREST, FIRST)
TOGETHER = 2048  # texts


class ScorerError(AssayError):
    """A scorer cannot be used, or not for this."""


class Scored(NamedTuple):
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


def half_of(name: str) -> int:
    """0 or 1, by a hash of a cluster's name or of a text that is in none."""
    return hashlib.sha256(f"half {name}".encode()).digest()[0] & 1


def is_trained(kind: str) -> bool:
    """Whether scorers of this kind are trained here."""
    return hasattr(variants.load(KINDS, kind, "scorers").Scorer, "trained")


def opened(name: str, kind: str, own: dict, folder):
    """A scorer: one that was trained here, from its folder, or another from its entry in the configuration."""
    scorer = variants.load(KINDS, kind, f"scorers.{name}.kind").Scorer
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
    scorer, texts: Iterable[str], halves: Iterable[int], way: str, least: int, window: int
) -> Iterator[Surprise]:
    """Each text in two passes: one of the whole, which gives the first chunk, too, and one of the second chunk alone.
    Both kinds go to the scorer together, which so finds more texts of like length; one that has a `memory` takes what
    is the same from the first pass. A text with a chunk of fewer than
    `least` tokens is not split: both of its chunks count as the whole.
    """
    pairs = zip(texts, halves, strict=True)
    while chunk := list(islice(pairs, TOGETHER)):
        texts, own = [visible(text) for text, _ in chunk], [half for _, half in chunk]
        cuts = [split(text, way) for text in texts]
        if hasattr(scorer, "memory"):
            wholes = list(scorer.scored(texts, own))
            posts = _posts(scorer, texts, own, cuts, wholes)
        else:
            parts = [text[cut:] for text, cut in zip(texts, cuts, strict=True)]
            scored = list(scorer.scored([*texts, *parts], [*own, *own]))
            wholes, posts = scored[: len(cuts)], [one.values for one in scored[len(cuts) :]]
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
    about = (len(values), bool(whole.is_cut))
    if min(first, len(values) - first, len(post)) < least:
        return Surprise(*about, True, *[everything] * 4, highest)
    chunks = (_mean(values[:first]), _mean(post), _mean(values[first:]))
    return Surprise(*about, False, everything, *chunks, highest)


def _mean(values):
    return round(math.fsum(values.tolist()) / len(values), 6) if len(values) else None


def _highest(values, window):
    """The highest mean of so many neighbours, or that of all if there are fewer."""
    if len(values) <= window:
        return _mean(values)
    sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    return round(float((sums[window:] - sums[:-window]).max() / window), 6)

"""Texts that repeat a long run of words of a text which may not be published.

All runs of so many words of those texts are kept as 64-bit hashes, 8 bytes for each word. Case and punctuation do not
count. A hash that two runs share by chance takes a text for a repeat, once in 10^12 comparisons or so; none is missed.
"""

import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

WORD = re.compile(r"\w+")
FACTOR = np.uint64(0x9E3779B97F4A7C15)
PIECE = 200_000  # words that are hashed at once


class LongRuns:
    """`add` the texts that may not be published; `repeats` says which others repeat a run of so many words."""

    def __init__(self, words: int):
        self.words, self._pieces, self._index = words, [], np.empty(0, np.uint64)

    @property
    def empty(self) -> bool:
        return not (self._pieces or len(self._index))

    def add(self, texts: Iterable[str]) -> None:
        for hashes, _ in self._runs(texts):
            self._pieces.append(np.unique(hashes))

    def repeats(self, texts: list[str | None]) -> list[bool]:
        found = [False] * len(texts)
        if self._pieces:
            self._index = np.unique(np.concatenate([self._index, *self._pieces]))
            self._pieces = []
        if not len(self._index):
            return found
        for hashes, owners in self._runs(text or "" for text in texts):
            at = np.searchsorted(self._index, hashes).clip(max=len(self._index) - 1)
            for owner in np.unique(owners[self._index[at] == hashes]):
                found[owner] = True
        return found

    def _runs(self, texts):
        """Pieces of (hashes of all runs, the number of the text of each)."""
        words, owners = [], []
        for number, text in enumerate(texts):
            own = WORD.findall(text.casefold())
            if len(own) >= self.words:
                words += map(_hash, own)
                owners += [number] * len(own)
            if len(words) >= PIECE:
                yield self._hashed(words, owners)
                words, owners = [], []
        if words:
            yield self._hashed(words, owners)

    def _hashed(self, words, owners):
        """Hashes of the runs that lie within one text."""
        words, owners = np.array(words, np.uint64), np.array(owners, np.int64)
        starts = len(words) - self.words + 1
        hashes = np.zeros(starts, np.uint64)
        for offset in range(self.words):
            hashes = hashes * FACTOR + words[offset : offset + starts]
        whole = owners[:starts] == owners[self.words - 1 :]
        return hashes[whole], owners[:starts][whole]


@lru_cache(1 << 20)
def _hash(word):
    return int.from_bytes(hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")

"""Clusters of texts that are nearly the same: connected components of pairs whose estimated similarity (`signatures`)
reaches a threshold in one view. Candidates agree in a whole band of four hashes: none above 0.75 is missed, and of
those as similar as 0.6 one in 80.

A signature is MinHash: it gives the Jaccard index of 5-grams of words, with a standard error of 0.04 at .7. It has two
views: the whole, and the first words, so that a copy cut to half is found. Words are lower-cased, without punctuation,
after compatibility normalisation; fewer than five are one gram. The same on every machine.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np

GRAM = 5
HASHES = 128
VIEWS = 2
WIDTH = 2 * VIEWS * HASHES  # bytes of a signature: the lowest 16 bits that a hash leaves are enough to tell it
CHUNK = 400_000  # bytes of text at once: what is computed on stays in the processor's cache
BASE = 0x9E3779B97F4A7C15  # odd, so it has an inverse
INVERSE = pow(BASE, -1, 2**64)
SPACE = ord(" ")
PUNCTUATION = re.compile(r"[^\w\x00-\x7f]+")
LETTERS = bytes(code if chr(code).isalnum() or code > 127 else SPACE for code in range(256))
ROWS = 4  # hashes in a band
BANDS = VIEWS * HASHES // ROWS
Signatures = np.ndarray  # uint16, shape (texts, VIEWS, HASHES)


def components(signatures: Signatures, threshold: float) -> np.ndarray:
    """For each text the number of the first text of its cluster."""
    parent = np.arange(len(signatures))
    for view, keys in bands(signatures):
        order = np.argsort(keys, kind="stable")
        for run in _unconnected_runs(keys[order], _roots(parent)[order]):
            _connect(order[run], signatures[:, view], threshold, parent)
    return _roots(parent)


def bands(signatures: Signatures) -> Iterator[tuple[int, np.ndarray]]:
    """For each band of each view the view, and one number of 32 bits per text, equal where the band is (and, once in
    four billion, where it is not).
    """
    factors = np.cumprod(np.full(ROWS, BASE, np.uint64), dtype=np.uint64)
    for view in range(VIEWS):
        for start in range(0, HASHES, ROWS):
            yield view, (signatures[:, view, start : start + ROWS].astype(np.uint64) @ factors) >> np.uint64(32)


def clustered(documents: Iterable[tuple[str, str]], threshold: float, first_words: int) -> dict[str, str]:
    """Name -> the first name of its cluster of near-duplicates, both in the order of names. `documents` are names and
    texts in any order; of the texts only signatures are kept.
    """
    names = []

    def texts():
        for name, text in documents:
            names.append(name)
            yield text

    of_texts = signatures(texts(), first_words)
    order = sorted(range(len(names)), key=names.__getitem__)
    first = components(of_texts[order], threshold)
    ordered = [names[at] for at in order]
    return dict(zip(ordered, (ordered[at] for at in first), strict=True))


def _unconnected_runs(keys, roots) -> Iterator[slice]:
    """The runs of equal keys that do not belong to one cluster yet."""
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])) if len(keys) else np.empty(0, int)
    stops = np.append(starts[1:], len(keys))
    starts, stops = starts[stops - starts > 1], stops[stops - starts > 1]
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        if (roots[start:stop] != roots[start]).any():
            yield slice(start, stop)


def _connect(members, signatures, threshold, parent):
    """Join connected members: each is compared with those that have not been reached yet."""
    while len(members) > 1:
        reached, members = [members[0]], members[1:]
        while reached and len(members):
            text = reached.pop()
            near = similarity(signatures[text], signatures[members]) >= threshold
            for other in members[near]:
                _join(parent, text, other)
            reached.extend(members[near])
            members = members[~near]


def _join(parent, a, b):
    a, b = _root(parent, a), _root(parent, b)
    parent[max(a, b)] = min(a, b)


def _root(parent, text):
    while parent[text] != text:
        parent[text] = text = parent[parent[text]]
    return text


def _roots(parent):
    while (parent[parent] != parent).any():
        parent = parent[parent]
    return parent


def signatures(texts: Iterable[str], first_words: int) -> np.ndarray:
    """One signature per text: uint16, shape (texts, VIEWS, HASHES)."""
    pieces = [_signatures(chunk, first_words) for chunk in _chunks(texts)]
    return np.concatenate(pieces) if pieces else np.empty((0, VIEWS, HASHES), np.uint16)


def similarity(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The estimated similarity of texts whose signatures stand in the same row, view by view."""
    return (a == b).sum(axis=-1, dtype=np.uint8) / HASHES


def plain(text: str) -> bytes:
    """The words of a text in UTF-8 with spaces between; a text without words gets one that no other text has."""
    text = text.casefold() if text.isascii() else _folded(text)
    words = text.encode("utf-8", "surrogatepass").translate(LETTERS)
    return (
        words if words.strip() else b"\0" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest().encode()
    )


def _folded(text):
    return PUNCTUATION.sub(" ", unicodedata.normalize("NFKC", text).casefold())


def _chunks(texts) -> Iterator[list[bytes]]:
    chunk, size = [], 0
    for text in texts:
        chunk.append(plain(text))
        size += len(chunk[-1])
        if size >= CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _signatures(texts, first_words):
    grams, counts = _grams(texts)
    heads = np.minimum(counts, max(first_words - GRAM + 1, 1))
    begins = np.cumsum(counts) - counts
    # The smallest hash of each head and of what follows it; where nothing follows, the second number means nothing.
    cuts = np.column_stack([begins, begins + heads]).ravel()
    grams = np.append((grams >> 32).astype(np.uint32), np.uint32(0))  # so that the last cut lies inside
    factors, summands = _numbers(2 * HASHES).astype(np.uint32).reshape(2, HASHES)
    hashed, minima = np.empty_like(grams), np.empty((HASHES, VIEWS, len(texts)), np.uint32)
    for number, (factor, summand) in enumerate(zip(factors | np.uint32(1), summands, strict=True)):
        np.multiply(grams, factor, out=hashed)
        np.add(hashed, summand, out=hashed)
        hashed[-1] = 0xFFFFFFFF
        head, rest = np.minimum.reduceat(hashed, cuts).reshape(-1, 2).T
        minima[number] = np.where(heads < counts, np.minimum(head, rest), head), head
    # Minima are small numbers: spread them before half of each is dropped.
    return ((minima * np.uint32(0x9E3779B1)) >> 16).astype(np.uint16).transpose(2, 1, 0)


def _grams(texts):
    """A 64-bit hash of each 5-gram, text after text, and how many there are of each text."""
    words, counts = _words(texts)
    ends = np.cumsum(counts)
    padded = np.append(words, np.zeros(GRAM - 1, np.uint64))
    grams = np.zeros(len(words), np.uint64)
    for shift in range(GRAM):
        grams *= np.uint64(BASE)
        grams += padded[shift : shift + len(words)]
    for short in np.flatnonzero(counts < GRAM):
        grams[ends[short] - counts[short]] = _one_gram(words[ends[short] - counts[short] : ends[short]])
    kept = np.maximum(counts - GRAM + 1, 1)
    place = np.arange(len(words)) - np.repeat(ends - counts, counts)
    return _mixed(grams[place < np.repeat(kept, counts)]), kept


def _one_gram(words):
    total = len(words)
    for word in words.tolist():
        total = (total * BASE + word) % 2**64
    return total


def _words(texts):
    """A 64-bit hash of each word, text after text, and how many there are of each text."""
    letters = np.frombuffer(b" " + b" ".join(texts) + b" ", np.uint8)
    lengths = np.fromiter((len(text) + 1 for text in texts), np.int64, len(texts))
    inside = letters != SPACE
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    starts, ends = edges[::2], edges[1::2]
    # A word is the number whose digits its letters are; sums over all letters so far give it without a loop.
    size = 1 << len(letters).bit_length()
    sums = np.cumsum(letters * _powers(BASE, size)[: len(letters)], dtype=np.uint64)
    words = (sums[ends - 1] - sums[starts - 1]) * _powers(INVERSE, size)[starts]
    return _mixed(words), np.diff(np.searchsorted(starts, np.cumsum(lengths) + 1), prepend=0)


@lru_cache(maxsize=4)  # sizes are powers of two, nearly always the same one
def _powers(base, count):
    factors = np.full(count, base, np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)


def _numbers(count):
    return _mixed(np.arange(1, count + 1, dtype=np.uint64) * np.uint64(BASE))


def _mixed(numbers):
    """Spread each bit over all bits (the last steps of MurmurHash3)."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        numbers = (numbers ^ (numbers >> np.uint64(33))) * np.uint64(factor)
    return numbers ^ (numbers >> np.uint64(33))

"""Draws and ids that follow from names and contents alone: the same on every machine, and other rows change none. The
first word of a draw is its purpose, so that two draws over the same ids are independent. A few older draws have none,
`None`: with one, other answers would be asked for, and those that were paid for would be lost.

An id is a hash over everything that defines a row, including its parents' ids. The part of a data set (train,
validation or test, eight to one to one) follows from a key alone, which is the id of a cluster of near-duplicates. So
similar texts stay together, nothing moves when documents are added, and no list of splits has to be kept. Shares are
therefore only about 80, 10 and 10 %; nothing is balanced by topic or shard."""

import hashlib

PARTS = ("train",) * 8 + ("validation", "test")


def lot(purpose: str | None, *names) -> bytes:
    """A key that sorts names into an order that looks random, or the seed of a generator."""
    words = names if purpose is None else (purpose, *names)
    return hashlib.sha256(" ".join(map(str, words)).encode("utf-8", "surrogatepass")).digest()


def number(purpose: str | None, *names, width: int = 8) -> int:
    """A number of `width` bytes. `number(...) % n` is one of n choices."""
    return int.from_bytes(lot(purpose, *names)[:width], "big")


def share(purpose: str | None, *names, width: int = 4) -> float:
    """A number from 0 to 1, without 1."""
    return number(purpose, *names, width=width) / 256**width


def content_id(kind: str, *parts) -> str:
    """`kind-` and 16 digits of a hash over the parts, which hold no NUL."""
    return f"{kind}-{hashlib.sha256(chr(0).join(map(str, parts)).encode()).hexdigest()[:16]}"


def split_of(key: str, fold: int = 0) -> str:
    """The part for a key. Over as many folds as there are `PARTS`, each key is in the test part once."""
    return PARTS[(number("split", key) + fold) % len(PARTS)]

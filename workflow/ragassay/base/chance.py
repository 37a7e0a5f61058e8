"""Draws that follow from names alone: the same on every machine, and adding a name changes no other draw. The first
word of a draw is its purpose, so that two draws over the same ids are independent. A few older draws have none,
`None`: with one, other answers would be asked for, and those that were paid for would be lost."""

import hashlib


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

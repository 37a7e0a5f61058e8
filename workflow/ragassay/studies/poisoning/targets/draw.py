"""Which rows of a table are drawn: by a hash of their ids, so that a draw keeps most of its rows as the table grows."""

import hashlib
import heapq
from collections.abc import Iterable


def drawn(rows: Iterable[dict], key: str, count: int, seed: int) -> list[dict]:
    """Up to `count` rows, whatever their order; only these are held."""
    return heapq.nsmallest(count, rows, key=lambda row: hashlib.sha256(f"{seed} {row[key]}".encode()).digest())

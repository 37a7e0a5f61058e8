"""Which passages of a corpus are asked about: documents take turns, in an order that follows from their ids alone."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator


def chosen(passages: list[dict], count: int) -> list[dict]:
    """Up to `count` of the passages; no document has a second one before each has had one."""
    turns = defaultdict(list)
    for row in sorted(passages, key=lambda row: _order(row["passage_id"])):
        turns[row["document_id"]].append(row)
    return [row for row, _ in zip(_in_turns(list(turns.values())), range(count), strict=False)]


def _in_turns(documents: list[list[dict]]) -> Iterator[dict]:
    for turn in range(max(map(len, documents), default=0)):
        yield from (own[turn] for own in documents if turn < len(own))


def _order(name):
    return hashlib.sha256(f"passage {name}".encode()).digest()

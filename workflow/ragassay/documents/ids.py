"""Ids from the content of rows, the part of a data set that follows from an id, and rejects.

An id is a hash over everything that defines a row, including its parents' ids. The same answers give the same ids on
every machine, and an id never depends on other rows of a table.

The part (train, validation or test, eight to one to one) follows from the key alone, which is the id of a cluster of
near-duplicates. So similar texts stay together, nothing moves when documents are added, and no list of splits has to be
kept. Shares are therefore only about 80, 10 and 10 %; nothing is balanced by topic or shard.
"""

import hashlib

from ragassay.base import chance

PARTS = ("train",) * 8 + ("validation", "test")


def content_id(kind: str, *parts) -> str:
    """`kind-` and 16 digits of a hash over the parts, which hold no NUL."""
    return f"{kind}-{hashlib.sha256(chr(0).join(map(str, parts)).encode()).hexdigest()[:16]}"


def split_of(key: str, fold: int = 0) -> str:
    """The part for a key. Over as many folds as there are `PARTS`, each key is in the test part once."""
    return PARTS[(chance.number("split", key) + fold) % len(PARTS)]


def reject(stage: str, row: dict, item: str, reason: str, detail: str) -> dict:
    """A row of the table rejects; `row` is the row with the shard that the item belongs to."""
    return {"stage": stage, "shard": row["shard"], "item": item, "reason": reason, "detail": detail}

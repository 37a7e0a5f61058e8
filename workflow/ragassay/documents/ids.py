"""Lineage of rows: ids from their content, and rejects.

An id is a hash over everything that defines a row, including its parents' ids. The same answers give the same ids on
every machine, and an id never depends on other rows of a table.
"""

import hashlib


def content_id(kind: str, *parts) -> str:
    """`kind-` and 16 digits of a hash over the parts, which hold no NUL."""
    return f"{kind}-{hashlib.sha256(chr(0).join(map(str, parts)).encode()).hexdigest()[:16]}"


def reject(stage: str, row: dict, item: str, reason: str, detail: str) -> dict:
    """A row of the table rejects; `row` is the row with the shard that the item belongs to."""
    return {"stage": stage, "shard": row["shard"], "item": item, "reason": reason, "detail": detail}

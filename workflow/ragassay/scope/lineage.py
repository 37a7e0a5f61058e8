"""Where the rows of the scope study come from: ids out of content, and rejects.

An id is a hash over all that makes a row what it is, its parents' ids among it; the same answers give the same ids on
every machine, and an id never depends on what else is in a table.
"""

import hashlib


def content_id(kind: str, *parts) -> str:
    """`kind-` and 16 digits of a hash over the parts, which hold no NUL."""
    return f"{kind}-{hashlib.sha256(chr(0).join(map(str, parts)).encode()).hexdigest()[:16]}"


def reject(stage: str, row: dict, item: str, reason: str, detail: str) -> dict:
    """A row of the table rejects; `row` is the row with the shard that the item belongs to."""
    return {"stage": stage, "shard": row["shard"], "item": item, "reason": reason, "detail": detail}

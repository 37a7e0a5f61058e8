"""Both halves of a corpus that a scorer is trained on in turn: near-duplicate documents lie in the same half, and a
document never changes sides when others come.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from ragassay.defences.scorer import DOCUMENTS, ScorerError
from ragassay.retrieval.corpus import documents
from ragassay.text.near_duplicates import clustered


def half(name: str) -> int:
    """0 or 1, by a hash of a cluster's name or of a text that is in none."""
    return hashlib.sha256(f"half {name}".encode()).digest()[0] & 1


def divided(passages, similarity: float, first_words: int) -> dict[str, int]:
    """document -> its half."""
    halves = {name: half(cluster) for name, cluster in clustered(documents(passages), similarity, first_words).items()}
    if len(set(halves.values())) < 2:
        raise ScorerError(
            f"{passages}: found {len(halves)} documents in {len(set(halves.values()))} of two halves, expected some in"
            " both, since each half is scored by what the other has taught; add documents, or name another scorer"
        )
    return halves


def read_halves(folder) -> dict[str, int]:
    """The same from the folder of a trained scorer; none without a folder."""
    return json.loads(Path(folder, DOCUMENTS).read_text(encoding="utf-8")) if folder else {}


def of_poison(rows: Iterable[dict], owners: dict[str, str], halves: dict[str, int]) -> list[int]:
    """The half of each poisoned passage: that of the document that it was made from, or one by a hash of its text."""
    return [halves.get(owners.get(row["made_from"]), half(row["text"])) for row in rows]

"""Both halves of a corpus that a scorer is trained on in turn: near-duplicate documents lie in the same half, and a
document never changes sides when others come.
"""

import json
from pathlib import Path

from ragassay.corpora.corpus import documents
from ragassay.studies.poisoning.defences.scorer import DOCUMENTS, ScorerError, half_of
from ragassay.text.near_duplicates import clustered


def divided(passages, similarity: float, first_words: int) -> dict[str, int]:
    """document -> its half."""
    halves = {
        name: half_of(cluster) for name, cluster in clustered(documents(passages), similarity, first_words).items()
    }
    if len(set(halves.values())) < 2:
        raise ScorerError(
            f"{passages}: found {len(halves)} documents in {len(set(halves.values()))} of two halves, expected some in"
            " both, since each half is scored by what the other has taught; add documents, or name another scorer"
        )
    return halves


def read_halves(folder) -> dict[str, int]:
    """The same from the folder of a trained scorer; none without a folder."""
    return json.loads(Path(folder, DOCUMENTS).read_text(encoding="utf-8")) if folder else {}


def of_text(model, text: str) -> int:
    """The half of a text of no document that the scorer was trained on."""
    return model.half(text) if hasattr(model, "half") else half_of(text)

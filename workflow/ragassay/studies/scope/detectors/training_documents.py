"""Which documents a detector was trained on: those themselves, their near-duplicates of the study, and near-duplicates
that came from elsewhere, as in a question set that shares articles with the study. The last are found by signatures,
with the limit that the study has for its own near-duplicates, so that no text that was trained on counts as new.
"""

import numpy as np

from ragassay.documents.ids import PARTS, split_of
from ragassay.text.near_duplicates import earlier_neighbours
from ragassay.text.signatures import HASHES, VIEWS, WIDTH, signatures

UNSEEN = "unseen"
TRAINED_ON = ("train", "validation")  # fitted on, or used to choose the epoch
ORDER = list(dict.fromkeys(PARTS))  # a text that is near to several takes the most harmful part


def described(documents: list[dict], cut_after_words: int) -> list[dict]:
    """Rows of the table detector_documents: the part of each document, and what its near-duplicates are known by."""
    found = signatures([row["text"] for row in documents], cut_after_words).astype("<u2").reshape(-1, VIEWS * HASHES)
    return [
        {name: row[name] for name in ("doc_id", "cluster_id")}
        | {"part": split_of(row["cluster_id"]), "signature": signature.tobytes()}
        for row, signature in zip(documents, found, strict=True)
    ]


def parts(documents: list[dict], known: list[dict], similarity: float, cut_after_words: int) -> dict[str, str]:
    """doc_id -> the part of that document, of its cluster or of a near-duplicate; `known` are rows of the table."""
    by_name = {row[name]: row["part"] for row in known for name in ("cluster_id", "doc_id")}
    found = {row["doc_id"]: by_name.get(row["doc_id"]) or by_name.get(row["cluster_id"]) for row in documents}
    strange = [row for row in documents if found[row["doc_id"]] is None]
    known = sorted(known, key=lambda row: ORDER.index(row["part"]))
    own = signatures([row["text"] for row in strange], cut_after_words)
    near = earlier_neighbours(own, np.arange(len(own)), [_unpacked(known)], similarity) if strange and known else {}
    return found | {row["doc_id"]: known[near[at]]["part"] if at in near else UNSEEN for at, row in enumerate(strange)}


def _unpacked(known):
    packed = b"".join(row["signature"] for row in known)
    assert len(packed) == WIDTH * len(known)
    return np.frombuffer(packed, "<u2").astype(np.uint16).reshape(-1, VIEWS, HASHES)

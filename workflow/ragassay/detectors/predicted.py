"""What detectors say, read from their predictions: who says it, what of which question, and what it was made with."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from ragassay import tables
from ragassay.detectors.known import MADE_WITH
from ragassay.schemas.predictions import PREDICTIONS

HEADS = {"mlp": "", "logistic": ", regression"}
SINGLE = {"overlap": "overlap control", "question_alone": "question alone", "similarity": "similarity threshold"}


class Place(NamedTuple):
    """Where a file of predictions lies."""

    detector: str
    encoder: str
    source: str  # the generator whose questions were learnt from
    judge: str
    asked: str  # the generator or question set whose questions these are


def place(path) -> Place:
    *folders, file = str(path).replace("\\", "/").split("/")[-5:]
    return Place(*folders, file.removesuffix(".parquet"))


def name_of(detector: str, encoder: str, head: str) -> str:
    return f"{SINGLE.get(detector, detector)} ({encoder})" + ("" if detector in SINGLE else HEADS[head])


def read(paths) -> Iterator[tuple[Place, str, list[dict]]]:
    """Where each method stands, its name, and its rows, of all seeds."""
    for path in paths:
        where, heads = place(path), defaultdict(list)
        for row in tables.read(PREDICTIONS, path).to_pylist():
            heads[row["head"]].append(row)
        for head, rows in sorted(heads.items()):
            yield where, name_of(where.detector, where.encoder, head), rows


def is_new(row: dict) -> bool:
    """Whether the detector was made without the question's document."""
    return row["part"] not in MADE_WITH

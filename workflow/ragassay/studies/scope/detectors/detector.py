"""A detector: features of a question and its document by a frozen model, and heads on them. A kind is one module
`ragassay.studies.scope.detectors.kinds.<kind>` with a class `Kind`, which computes features; heads are the same for
all, by default with the recipe of appendix H. A document counts as trained on with its near-duplicates, and those
from elsewhere by their signatures."""

import abc
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ragassay.base import variants
from ragassay.base.chance import PARTS, split_of
from ragassay.base.errors import AssayError
from ragassay.models.heads.scores import LOGISTIC, MLP, ROWS
from ragassay.text.duplicate_index import DuplicateIndex, earlier_neighbours
from ragassay.text.near_duplicates import HASHES, VIEWS, signatures

KINDS = "ragassay.studies.scope.detectors.kinds"
TOO_LONG = "too_long"  # why a question has no prediction
UNSEEN = "unseen"
TRAINED_ON = ("train", "validation")  # fitted on, or used to choose the epoch
ORDER = list(dict.fromkeys(PARTS))  # a text that is near to several takes the most harmful part


class DetectorError(AssayError):
    """A detector cannot be trained, read or applied."""


class DetectorQuestion(NamedTuple):
    """A question about a document."""

    question_id: str
    doc_id: str
    question: str
    document: str


class Kind(abc.ABC):
    """The interface of a kind of detector; one file each. `settings` are those of the configuration: detector, kind,
    encoder (an entry of `encoders` or `models`, with its name) and options.
    """

    heads: tuple[str, ...] = (MLP, LOGISTIC)
    balanced = False  # whether the logistic regression counts both kinds of questions alike

    @abc.abstractmethod
    def identity(self) -> dict:
        """Everything that can change a feature by more than rounding."""

    @abc.abstractmethod
    def features(self, asked: Sequence[DetectorQuestion]) -> np.ndarray:
        """One row each; of NaN where a question and its document are longer than the model reads."""

    def stream(self, asked: Sequence[DetectorQuestion]) -> Iterator[np.ndarray]:
        """Features in pieces of ROWS rows, for more questions than should be in memory."""
        for start in range(0, len(asked), ROWS):
            yield self.features(asked[start : start + ROWS])

    def cut(self, asked: Sequence[DetectorQuestion]) -> tuple[int, int]:
        """How many documents are longer than what the model reads, and that length; (0, 0) where all is read."""
        return 0, 0


def too_long(features: np.ndarray) -> np.ndarray:
    """Which questions have no features."""
    return np.isnan(features).all(axis=1)


def kind(settings: dict, embeddings: str, prompt: str) -> Kind:
    """The kind of detector that the configuration names, with the folder where features are kept."""
    setting = f"detectors.methods.{settings['detector']}.kind"
    return variants.load(KINDS, settings["kind"], setting).Kind(settings, embeddings, prompt)


def described(documents: list[dict], cut_after_words: int) -> list[dict]:
    """Rows of the table detector_documents: the part of each document, and what its near-duplicates are known by."""
    views = signatures([row["text"] for row in documents], cut_after_words).astype("<u2").reshape(-1, VIEWS * HASHES)
    return [
        {name: row[name] for name in ("doc_id", "cluster_id")}
        | {"part": split_of(row["cluster_id"]), "signature": signature.tobytes()}
        for row, signature in zip(documents, views, strict=True)
    ]


def trained_parts(documents: list[dict], rows: list[dict], similarity: float, cut_after_words: int) -> dict[str, str]:
    """doc_id -> the part of that document, of its cluster or of a near-duplicate; `rows` are those of the table."""
    by_name = {row[name]: row["part"] for row in rows for name in ("cluster_id", "doc_id")}
    parts = {row["doc_id"]: by_name.get(row["doc_id"]) or by_name.get(row["cluster_id"]) for row in documents}
    strange = [row for row in documents if parts[row["doc_id"]] is None]
    rows = sorted(rows, key=lambda row: ORDER.index(row["part"]))
    near = {}
    if strange and rows:
        packed = np.frombuffer(b"".join(row["signature"] for row in rows), "<u2")
        trained = packed.astype(np.uint16).reshape(-1, VIEWS, HASHES)
        theirs = signatures([row["text"] for row in strange], cut_after_words)
        index = DuplicateIndex.of(trained, np.arange(len(trained)))
        near = earlier_neighbours(theirs, np.arange(len(theirs)), [index], similarity)
    return parts | {row["doc_id"]: rows[near[at]]["part"] if at in near else UNSEEN for at, row in enumerate(strange)}

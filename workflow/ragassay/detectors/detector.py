"""What a detector is: features of a question about a document by a frozen model, and heads on them.

A kind is one module `ragassay.detectors.kinds.<kind>` with a class `Kind`, which computes features and nothing else;
learning, calibrating, saving and applying are the same for all.
"""

import abc
import importlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ragassay.detectors.scores import ROWS
from ragassay.errors import AssayError

MLP, LOGISTIC = "mlp", "logistic"


class DetectorError(AssayError):
    """A detector cannot be made, read or applied."""


class Asked(NamedTuple):
    """A question about a document."""

    question_id: str
    doc_id: str
    question: str
    document: str


class Kind(abc.ABC):
    """What a kind of detector has to offer; one file each. `settings` are those of the configuration: detector, kind,
    encoder (an entry of `encoders` or `models`, with its name) and options.
    """

    heads: tuple[str, ...] = (MLP, LOGISTIC)
    balanced = False  # whether the logistic regression counts both kinds of questions alike

    @abc.abstractmethod
    def identity(self) -> dict:
        """Everything that can change a feature by more than rounding."""

    @abc.abstractmethod
    def features(self, asked: Sequence[Asked]) -> np.ndarray:
        """One row each."""

    def stream(self, asked: Sequence[Asked]) -> Iterator[np.ndarray]:
        """The same in pieces of ROWS rows, for more questions than should be in memory."""
        for start in range(0, len(asked), ROWS):
            yield self.features(asked[start : start + ROWS])

    def cut(self, asked: Sequence[Asked]) -> tuple[int, int]:
        """How many documents are longer than what the model reads, and how many tokens of one it reads; (0, 0) where
        all is read.
        """
        return 0, 0


def kind(settings: dict, embeddings: str, prompt: str) -> Kind:
    """The kind of detector that the configuration names, with the folder where features are kept."""
    name = f"ragassay.detectors.kinds.{settings['kind']}"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise DetectorError(
            f"detector {settings['detector']}: found kind {settings['kind']!r}, expected a module of"
            " ragassay.detectors.kinds"
        ) from error
    return module.Kind(settings, embeddings, prompt)

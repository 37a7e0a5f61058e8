"""A detector: features of a question and its document by a frozen model, and heads on them.

A kind is one module `ragassay.studies.scope.detectors.kinds.<kind>` with a class `Kind`, which computes features and
nothing else; training, calibrating, saving and applying heads are the same for all (see `ragassay.models.heads`).
Two-layer heads have the recipe of the scope paper's appendix H unless the configuration says otherwise; the paper does
not standardise features.
"""

import abc
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ragassay.base import variants
from ragassay.base.errors import AssayError
from ragassay.models.heads.recipe import LOGISTIC, MLP
from ragassay.models.heads.scores import ROWS

TOO_LONG = "too_long"  # why a question has no prediction


class DetectorError(AssayError):
    """A detector cannot be trained, read or applied."""


class Asked(NamedTuple):
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
    def features(self, asked: Sequence[Asked]) -> np.ndarray:
        """One row each; of NaN where a question and its document are longer than the model reads."""

    def stream(self, asked: Sequence[Asked]) -> Iterator[np.ndarray]:
        """The same in pieces of ROWS rows, for more questions than should be in memory."""
        for start in range(0, len(asked), ROWS):
            yield self.features(asked[start : start + ROWS])

    def cut(self, asked: Sequence[Asked]) -> tuple[int, int]:
        """How many documents are longer than what the model reads, and how many tokens of one it reads; (0, 0) where
        all is read.
        """
        return 0, 0


def too_long(features: np.ndarray) -> np.ndarray:
    """Which questions have no features."""
    return np.isnan(features).all(axis=1)


def kind(settings: dict, embeddings: str, prompt: str) -> Kind:
    """The kind of detector that the configuration names, with the folder where features are kept."""
    setting = f"detectors.methods.{settings['detector']}.kind"
    return variants.load("ragassay.studies.scope.detectors.kinds", settings["kind"], setting).Kind(
        settings, embeddings, prompt
    )

"""Learn all heads of a detector, and how they fare with fewer documents to learn from. Parts are of documents.

Only the training part is learnt from; epoch and temperature are chosen on the validation part; the test part is looked
at once, at the end. A smaller share of the training documents is part of every larger one.
"""

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ragassay.detectors import calibration, linear, scores
from ragassay.detectors.detector import LOGISTIC, MLP, DetectorError
from ragassay.metrics.auroc import auroc

TRAIN, VALIDATION, TEST = "train", "validation", "test"
DIGITS = 6


@dataclass(frozen=True)
class Data:
    """Questions with features; `parts` and `clusters` are those of their documents."""

    features: np.ndarray
    out_of_scope: np.ndarray
    parts: np.ndarray
    clusters: np.ndarray

    def of(self, part, share=1.0):
        inside = self.parts == part
        return inside & np.isin(self.clusters, _first(self.clusters[inside], share)) if share < 1 else inside


class Learnt(NamedTuple):
    heads: dict  # (head, seed) -> arrays, learnt from all training documents
    temperatures: dict  # (head, seed) -> number
    rows: list[dict]  # of the table detector_training


def learn(name: str, data: Data, kinds: tuple[str, ...], balanced: bool, recipe, seeds: list[int], shares) -> Learnt:
    """`recipe` is that of a two-layer head."""
    if not (finite := np.isfinite(data.features).all(axis=1)).all():
        raise DetectorError(
            f"detector {name}: found {(~finite).sum()} of {len(finite)} questions with a feature that is not finite,"
            f" expected finite numbers, first in row {int(np.argmin(finite))}; is the model sound?"
        )
    learnt = Learnt({}, {}, [])
    for share in sorted({*shares, 1.0}):
        inside = data.of(TRAIN, share)
        found = data.out_of_scope[inside]
        counts = {"documents": len(set(data.clusters[inside])), "questions": int(inside.sum())}
        if not len(found) or found.all() or not found.any():
            if share == 1:
                raise DetectorError(
                    f"detector {name}: found {counts['questions']} kept questions of {counts['documents']} training"
                    " documents, not of both kinds; expected some in scope and some out of scope; add documents"
                )
            continue
        for head, seed, arrays, history in _heads(data, inside, kinds, balanced, recipe, seeds):
            kept = _kept(history)
            tested = figures(*scored(arrays, data, TEST))
            for row in history:
                own = tested if row["epoch"] == kept else dict.fromkeys(tested)
                test = {"test_accuracy": own["accuracy"], "test_auroc": own["auroc"]}
                keys = {"head": head, "seed": seed, "percent": round(100 * share), **counts}
                learnt.rows.append({**keys, **row, **test, "kept": row["epoch"] == kept})
            if share == 1:
                learnt.heads[head, seed] = arrays
                learnt.temperatures[head, seed] = calibration.temperature(*scored(arrays, data, VALIDATION))
    return learnt


def _kept(history):
    """The epoch that the head is of, as `ragassay.detectors.head` chooses it."""
    epochs = [row for row in history if row["validation_loss"] is not None]
    if len(history) == 1 or not epochs:
        return history[-1]["epoch"]
    return min(epochs[1:], key=lambda row: row["validation_loss"])["epoch"]


def _heads(data, inside, kinds, balanced, recipe, seeds):
    """Head, seed, arrays and history of each head that a detector has."""
    if LOGISTIC in kinds:
        arrays = linear.train(data.features[inside], data.out_of_scope[inside], balanced)
        held = figures(*scored(arrays, data, VALIDATION))
        losses = {"loss": None, "validation_loss": held["log_loss"], "validation_accuracy": held["accuracy"]}
        yield LOGISTIC, 0, arrays, [{"epoch": 0, **losses}]
    if MLP in kinds:
        from ragassay.detectors import head  # loads torch, which is not needed without it

        parts = (head.Part(data.features[own], data.out_of_scope[own]) for own in (inside, data.of(VALIDATION)))
        training, validation = parts
        for seed in seeds:
            yield MLP, seed, *head.train(training, validation, recipe, seed)


def scored(arrays: dict, data: Data, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Scores and labels of a part."""
    inside = data.of(part)
    return scores.scores(arrays, data.features[inside]), data.out_of_scope[inside]


def figures(found: np.ndarray, out_of_scope: np.ndarray, temperature: float = 1.0) -> dict:
    """What scores come to on some questions; empty numbers of no questions."""
    if not len(found):
        return dict.fromkeys(("accuracy", "auroc", "log_loss", "expected_error"))
    said = scores.probabilities(found, temperature)
    numbers = {
        "accuracy": np.mean((found > 0) == out_of_scope),
        "auroc": auroc(found, out_of_scope),
        "log_loss": calibration.log_loss(found / temperature, out_of_scope),
        "expected_error": calibration.expected_error(said, out_of_scope),
    }
    return {name: None if value is None else round(float(value), DIGITS) for name, value in numbers.items()}


def _first(clusters, share):
    """The first clusters by a hash of their names."""
    names = sorted(set(clusters), key=lambda name: hashlib.sha256(f"share {name}".encode()).digest())
    return names[: round(share * len(names))]

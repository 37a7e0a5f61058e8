"""Train all heads on labelled items, and measure how well they do with fewer of them. Items come in clusters, and a
cluster is never in two parts. Epoch and temperature are chosen on the validation part; the test part is looked at
once. A smaller share of the training clusters is part of every larger one."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ragassay.base import chance
from ragassay.base.errors import AssayError
from ragassay.metrics.panel import auroc
from ragassay.models.heads import regression, scores
from ragassay.models.heads.scores import LOGISTIC, MLP

TRAIN, VALIDATION, TEST = "train", "validation", "test"
DIGITS = 6


class LearningError(AssayError):
    """No heads can be trained on these features."""


@dataclass(frozen=True)
class Data:
    """Items with features, a label, a part and a cluster each; messages and columns call them as `items_are` and
    `clusters_are` say.
    """

    features: np.ndarray
    labels: np.ndarray
    parts: np.ndarray
    clusters: np.ndarray
    items_are: str = "items"
    clusters_are: str = "clusters"

    def of(self, part, share=1.0):
        """A mask of a part, or of a share of its clusters: those that come first by a hash of their names."""
        inside = self.parts == part
        if share == 1:
            return inside
        names = sorted(set(self.clusters[inside]), key=lambda name: chance.lot("share", name))
        return inside & np.isin(self.clusters, names[: round(share * len(names))])


class Learned(NamedTuple):
    heads: dict  # (head, seed) -> arrays, trained on all of the training part
    temperatures: dict  # (head, seed) -> number
    rows: list[dict]  # one for each epoch of each head, seed and share


def learn(owner: str, data: Data, kinds: tuple[str, ...], balanced: bool, recipe, seeds: list[int], shares) -> Learned:
    """`owner` names the heads in messages; `recipe` is that of a two-layer head."""
    finite = np.isfinite(data.features).all(axis=1)
    if not finite.all():
        raise LearningError(
            f"{owner}: found {(~finite).sum()} of {len(finite)} {data.items_are} with a feature that is not finite,"
            f" expected finite numbers, first in row {int(np.argmin(finite))}; check the model's weights"
        )
    learned = Learned({}, {}, [])
    for share in sorted({*shares, 1.0}):
        inside = data.of(TRAIN, share)
        labels, groups = data.labels[inside], len(set(data.clusters[inside]))
        if not len(labels) or labels.all() or not labels.any():
            if share == 1:
                raise LearningError(
                    f"{owner}: found {len(labels)} {data.items_are} of {groups} {data.clusters_are} in the training"
                    f" part, not of both labels; expected some of each; add {data.clusters_are}"
                )
            continue
        counts = {data.clusters_are: groups, data.items_are: len(labels)}
        for head, seed, arrays, history in _heads(data, inside, kinds, balanced, recipe, seeds):
            tested = figures(*scored(arrays, data, TEST))
            for row in history:
                figures_of_epoch = tested if row["kept"] else dict.fromkeys(tested)
                test = {"test_accuracy": figures_of_epoch["accuracy"], "test_auroc": figures_of_epoch["auroc"]}
                keys = {"head": head, "seed": seed, "percent": round(100 * share), **counts}
                learned.rows.append({**keys, **row, **test})
            if share == 1:
                learned.heads[head, seed] = arrays
                learned.temperatures[head, seed] = scores.temperature(*scored(arrays, data, VALIDATION))
    return learned


def _heads(data, inside, kinds, balanced, recipe, seeds):
    """Head, seed, arrays and history of each head."""
    if LOGISTIC in kinds:
        arrays = regression.train(data.features[inside], data.labels[inside], balanced)
        held = figures(*scored(arrays, data, VALIDATION))
        losses = {"loss": None, "validation_loss": held["log_loss"], "validation_accuracy": held["accuracy"]}
        yield LOGISTIC, 0, arrays, [{"epoch": 0, **losses, "kept": True}]
    if MLP in kinds:
        from ragassay.models.heads import head  # loads torch, which is not needed without it

        parts = [head.Labelled(data.features[rows], data.labels[rows]) for rows in (inside, data.of(VALIDATION))]
        for seed in seeds:
            yield MLP, seed, *head.train(*parts, recipe, seed)


def scored(arrays: dict, data: Data, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Scores and labels of a part."""
    inside = data.of(part)
    return scores.scores(arrays, data.features[inside]), data.labels[inside]


def figures(predictions: np.ndarray, labels: np.ndarray, temperature: float = 1.0) -> dict:
    """How good scores are on some items; empty numbers without items."""
    if not len(predictions):
        return dict.fromkeys(("accuracy", "auroc", "log_loss", "expected_error"))
    predicted = scores.probabilities(predictions, temperature)
    numbers = {
        "accuracy": np.mean((predictions > 0) == labels),
        "auroc": auroc(predictions, labels),
        "log_loss": scores.log_loss(predictions / temperature, labels),
        "expected_error": scores.expected_error(predicted, labels),
    }
    return {name: None if value is None else round(float(value), DIGITS) for name, value in numbers.items()}

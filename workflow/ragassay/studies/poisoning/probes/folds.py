"""Fit probes in folds by document and score what is tested: nothing that a probe was fitted on, stopped by, calibrated
on or compares with. Each document, with its near-duplicates, is in the test part of one of ten folds.

Labels are balanced by weights, never by copies. A threshold lets through all but a share of the right answers of the
validation part.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ragassay.base import variants
from ragassay.documents.ids import PARTS, split_of
from ragassay.studies.poisoning.probes.labels import CORRECT, POISONED
from ragassay.studies.poisoning.probes.samples import Part

KINDS = "ragassay.studies.poisoning.probes.kinds"
FOLDS = len(PARTS)
TRAIN, VALIDATION, TEST = "train", "validation", "test"


@dataclass(frozen=True)
class Method:
    """What is fitted on which features. With `shuffled` the labels of the training part are."""

    name: str
    kind: str
    settings: dict
    features: object
    seeds: list[int]
    folds: int = FOLDS
    shuffled: bool = False
    conditions: tuple[str, ...] = ()  # that it is fitted on; none is all

    def fit(self, training: Part, validation: Part, seed: int) -> dict[str, np.ndarray]:
        labels = training.labels
        if self.shuffled:
            labels = np.random.default_rng(seed).permutation(labels)
        return self.module.fit(training._replace(labels=labels), validation, self.settings, seed)

    def score(self, arrays, part: Part) -> np.ndarray:
        return self.module.score(arrays, part, self.settings)

    @property
    def module(self):
        return variants.load(KINDS, self.kind, f"revprag.probes.{self.name}.kind")


class Given(Method):
    """Scores that need no fitting: a sample's feature is its score. Folds give them thresholds."""

    def fit(self, training, validation, seed):
        return {}

    def score(self, arrays, part):
        return part.features[part.rows].ravel()


class Scored(NamedTuple):
    """The test part of one fold."""

    seed: int
    fold: int
    rows: np.ndarray
    scores: np.ndarray
    arrays: dict  # of the probe
    threshold: float | None


def parts(clusters, fold: int) -> np.ndarray:
    """The part of each sample."""
    return np.array([_part(name, fold) for name in clusters])


_part = functools.lru_cache(1 << 17)(split_of)  # of a cluster in a fold; every method asks for all of them


def problem(labels, clusters, chosen) -> str | None:
    """Why no probe can be trained on the chosen samples; None if one can."""
    for kind in (CORRECT, POISONED):
        own = chosen & (labels == kind)
        if len(set(clusters[own])) < 2:
            return (
                f"found {own.sum()} {kind} answers about {len(set(clusters[own]))} documents among {chosen.sum()},"
                " expected some about at least 2 documents"
            )
    return None


def scored(method: Method, labels, clusters, chosen, tested, fpr: float) -> Iterator[Scored]:
    """All folds of a method. `chosen` are the samples to learn from, of which those with other labels than right and
    poisoned are ignored; `tested` those to be scored.
    """
    poisoned, trained_on = labels == POISONED, chosen & np.isin(labels, (CORRECT, POISONED))
    for fold in range(method.folds):
        place = parts(clusters, fold)
        inside = {name: np.flatnonzero(trained_on & (place == name)) for name in (TRAIN, VALIDATION)}
        training, validation = (Part(method.features, own, poisoned[own]) for own in inside.values())
        rows = np.flatnonzero(tested & (place == TEST))
        if not len(rows) or len(set(training.labels)) < 2:
            continue
        for seed in method.seeds:
            arrays = method.fit(training, validation, seed)
            found = method.score(arrays, Part(method.features, rows, poisoned[rows]))
            yield Scored(seed, fold, rows, found, arrays, _threshold(method, arrays, validation, fpr))


def _threshold(method, arrays, validation, fpr):
    """The score that a share of at most `fpr` of right answers of the validation part exceeds."""
    right = Part(validation.features, validation.rows[~validation.labels], validation.labels[~validation.labels])
    found = method.score(arrays, right)
    found = found[~np.isnan(found)]  # other methods may have no score for some
    return float(np.quantile(found, 1 - fpr, method="higher")) if len(found) else None

"""Fit probes in folds by document: no sample is scored by what it was fitted, stopped, calibrated or supported with.
Labels are balanced by weights. A threshold is conformal: it comes from right answers that other folds test.
Controls: a ruler, log-probabilities, the answer's text and its first words, shuffled labels, three classes. `chain` and
`either` join a defence's ranks with a probe's: the lower, the higher."""

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ragassay.base import method
from ragassay.base.chance import PARTS, split_of
from ragassay.models.heads import regression
from ragassay.studies.poisoning.defences.thresholds import rank
from ragassay.studies.poisoning.probes.labels import CORRECT, HALLUCINATED, POISONED
from ragassay.studies.poisoning.probes.samples import ActivationProbe, Part, scaling

KINDS = "ragassay.studies.poisoning.probes.kinds"
FOLDS = len(PARTS)
TRAIN, VALIDATION, TEST = "train", "validation", "test"
CONTROLS = CONTROL, FIRST_TOKEN, LOG_PROBABILITIES, ANSWER_TEXT, FIRST_WORDS, SHUFFLED = (
    *("control", "first_token", "log_probabilities", "answer_text", "first_words", "shuffled"),
)
CLASSES = CORRECT, POISONED, HALLUCINATED
FEWEST = 20  # answers of each class; with fewer no share means anything
STRENGTHS, ITERATIONS = (0.001, 0.01, 0.1), 300  # of the classifier
BESIDE = CONTROL, FIRST_TOKEN  # the controls that stand beside each number of a probe
WAYS = DEFENCE, PROBE, CHAIN, EITHER = "defence", "probe", "chain", "either"


@dataclass(frozen=True)
class Contestant:
    """What is fitted on which features. With `shuffled` the labels of the training part are."""

    name: str
    kind: str
    settings: dict
    features: object
    seeds: list[int]
    folds: int = FOLDS
    shuffled: bool = False
    conditions: tuple[str, ...] = ()  # that it is fitted on; none is all

    def fitted(self, training: Part, validation: Part, seed: int) -> ActivationProbe:
        labels = training.labels
        if self.shuffled:
            labels = np.random.default_rng(seed).permutation(labels)
        probe = kind_of(self.kind, f"revprag.probes.{self.name}.kind")(self.settings)
        return probe.fit(training._replace(labels=labels), validation, seed)


class Given(Contestant):
    """Scores that need no fitting: a sample's feature is its score. Folds give them thresholds."""

    def fitted(self, training, validation, seed):
        return GivenScores()


class GivenScores(ActivationProbe):
    def score(self, part):
        return part.features[part.rows].ravel()


class FoldScores(NamedTuple):
    """The test part of one fold."""

    seed: int
    fold: int
    rows: np.ndarray
    scores: np.ndarray
    probe: ActivationProbe | None  # of the first fold, which is saved
    threshold: float | None


def kind_of(kind: str, place: str) -> type[ActivationProbe]:
    return method.kind_of(KINDS, kind, place)


def control(name: str, features, seeds=(0,)) -> Contestant:
    return Contestant(name, "logistic", {}, features, list(seeds), shuffled=name == SHUFFLED)


def parts(clusters, fold: int) -> np.ndarray:
    """The part of each sample."""
    return np.array([_part(name, fold) for name in clusters])


_part = functools.lru_cache(1 << 17)(split_of)  # of a cluster in a fold; every contestant asks for all of them


def problem(labels, clusters, chosen) -> str | None:
    """Why no probe can be trained on the chosen samples; None if one can."""
    for kind in (CORRECT, POISONED):
        of_kind = chosen & (labels == kind)
        documents = len(set(clusters[of_kind]))
        if documents < 2:
            return (
                f"found {of_kind.sum()} {kind} answers about {documents} documents among {chosen.sum()}, expected some"
                " about at least 2 documents"
            )
    return None


def scored(contestant: Contestant, labels, clusters, chosen, tested, fpr: float) -> Iterator[FoldScores]:
    """All folds of a contestant. `chosen` are the samples to learn from, of which those with other labels than right
    and poisoned are ignored; `tested` those to be scored. A threshold comes from right answers that other folds test,
    or where there is one fold from those of its validation part.
    """
    for seed in contestant.seeds:
        folds = list(_folds(contestant, seed, labels, clusters, chosen, tested))
        for part, scores in folds:
            others = [right for other, right in folds if other.fold != part.fold] or [scores]
            yield part._replace(threshold=conformal(np.concatenate(others), fpr))


def _folds(contestant, seed, labels, clusters, chosen, tested):
    """The folds of a seed, still without thresholds, each with the scores of right answers that are chosen."""
    features, poisoned = contestant.features, labels == POISONED
    trained_on = chosen & np.isin(labels, (CORRECT, POISONED))
    for fold in range(contestant.folds):
        place = parts(clusters, fold)
        inside = [np.flatnonzero(trained_on & (place == name)) for name in (TRAIN, VALIDATION)]
        training, validation = (Part(features, rows, poisoned[rows]) for rows in inside)
        rows = np.flatnonzero(tested & (place == TEST))
        if not len(rows) or regression.one_class(training.labels):
            continue
        probe = contestant.fitted(training, validation, seed)
        scores = probe.score(Part(features, rows, poisoned[rows]))
        part = TEST if contestant.folds > 1 else VALIDATION
        right = np.flatnonzero(trained_on & ~poisoned & (place == part))
        calibration = probe.score(Part(features, right, poisoned[right]))
        yield FoldScores(seed, fold, rows, scores, probe if not fold else None, None), calibration


def conformal(scores: np.ndarray, fpr: float) -> float | None:
    """The threshold that a further right answer exceeds with a probability of at most `fpr`, if these scores of right
    answers and its own are exchangeable; None where they are too few for that.
    """
    scores = np.sort(scores[~np.isnan(scores)])  # other methods may have no score for some
    place = math.ceil((len(scores) + 1) * (1 - fpr) - 1e-9)
    return float(scores[place - 1]) if 0 < place <= len(scores) else None


def classified(features, labels, clusters, chosen) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Numbers of samples with the class that each is taken for, fold after fold; nothing if a class is too rare."""
    chosen = chosen & np.isin(labels, CLASSES)
    if min((chosen & (labels == name)).sum() for name in CLASSES) < FEWEST:
        return
    for fold in range(FOLDS):
        place = parts(clusters, fold)
        inside = [np.flatnonzero(chosen & (place == name)) for name in (TRAIN, VALIDATION, TEST)]
        training, validation, test = (Part(features, rows, labels[rows]) for rows in inside)
        if len(test.rows) and set(training.labels) == set(CLASSES):
            yield test.rows, _classes(training, validation, test)


def _classes(training, validation, test):
    """The class of each sample of a part, by the penalty that is right most often on the validation part."""
    scale = scaling(training)
    given, held = scale.flat(training), scale.flat(validation)

    def fitted(strength):
        return regression.fit(given, training.labels, strength=strength, balanced=True, iterations=ITERATIONS)

    def errors(model):
        return -model.score(held, validation.labels) if len(held) else 0.0

    return min(map(fitted, STRENGTHS), key=errors).predict(scale.flat(test))


def ways(defence, probe, right, folds, fpr: float) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """way -> score of each prompt, and whether there is an alarm. `defence` and `probe` are scores, the former that of
    a prompt's most suspicious passage; `right` says which prompts have right answers that are no attack's. A fold
    without any elsewhere has no score (NaN).
    """
    result = {way: (np.full(len(folds), np.nan), np.zeros(len(folds), bool)) for way in WAYS}
    for fold in np.unique(folds):
        here, others = folds == fold, right & (folds != fold)
        if not others.any():
            continue
        alone = {DEFENCE: rank(defence, np.sort(defence[others])), PROBE: rank(probe, np.sort(probe[others]))}
        both = {CHAIN: np.minimum(*alone.values()), EITHER: np.maximum(*alone.values())}
        for way, values in (alone | both).items():
            scores, flagged = result[way]
            scores[here] = values[here]
            flagged[here] = values[here] > np.quantile(values[others], 1 - fpr, method="higher")
    return result

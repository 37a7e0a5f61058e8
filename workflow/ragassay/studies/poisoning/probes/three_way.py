"""Right, poisoned or hallucinated: logistic regression with three classes, in the folds of the probes.

A probe of two classes may take all that is wrong for poison. This one has to tell the two kinds of wrong answers apart.
"""

from collections.abc import Iterator

import numpy as np

from ragassay.studies.poisoning.probes.folds import FOLDS, TEST, TRAIN, VALIDATION, parts
from ragassay.studies.poisoning.probes.labels import CORRECT, HALLUCINATED, POISONED
from ragassay.studies.poisoning.probes.samples import Part, scaling

CLASSES = CORRECT, POISONED, HALLUCINATED
FEWEST = 20  # answers of each class; with fewer no share means anything


def classified(features, labels, clusters, chosen) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Numbers of samples with what they are taken for, fold after fold; nothing if a class is too rare."""
    chosen = chosen & np.isin(labels, CLASSES)
    if min((chosen & (labels == name)).sum() for name in CLASSES) < FEWEST:
        return
    for fold in range(FOLDS):
        place = parts(clusters, fold)
        training, validation, test = (
            Part(features, own, labels[own])
            for own in (np.flatnonzero(chosen & (place == name)) for name in (TRAIN, VALIDATION, TEST))
        )
        if len(test.rows) and set(training.labels) == set(CLASSES):
            yield test.rows, _fitted(training, validation)(test)


def _fitted(training, validation):
    """What names the class of samples; of several penalties the best one on the validation part."""
    from sklearn.linear_model import LogisticRegression

    from ragassay.studies.poisoning.probes.kinds.logistic import ITERATIONS, SETTINGS

    scale, best = scaling(training), None

    def scaled(part):
        return (part.whole() - scale.mean.ravel()) * scale.factor.ravel()

    given, held = scaled(training), scaled(validation)
    for strength in SETTINGS["strengths"]:
        model = LogisticRegression(C=strength, class_weight="balanced", max_iter=ITERATIONS)
        model.fit(given, training.labels)
        right = model.score(held, validation.labels) if len(held) else 0.0
        if best is None or right > best[0]:
            best = right, model
    return lambda part: best[1].predict(scaled(part))

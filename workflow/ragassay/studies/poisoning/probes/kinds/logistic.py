"""Logistic regression on all activations side by side. Of several penalties the one with the least loss on the
validation part is kept. A sparse one rests on few features.
"""

import numpy as np

from ragassay.models.heads import scores
from ragassay.studies.poisoning.probes.samples import scaling

SETTINGS = {"strengths": [0.001, 0.01, 0.1], "sparse": False}  # the lower, the simpler
ITERATIONS = 300
SPARSE = {"l1_ratio": 1, "solver": "liblinear"}
OUTPUT = None


def fit(training, validation, settings, seed):
    from sklearn.linear_model import LogisticRegression

    scale = scaling(training)
    given = (training.whole() - scale.mean.ravel()) * scale.factor.ravel()
    held, best = validation.whole(), None
    penalty = SPARSE | {"random_state": seed} if settings.get("sparse") else {}
    for strength in settings["strengths"]:
        model = LogisticRegression(C=strength, class_weight="balanced", max_iter=ITERATIONS, **penalty)
        model.fit(given, training.labels)
        arrays = scale.worked_into(model.coef_[0], float(model.intercept_[0]))
        loss = scores.log_loss(scores.scores(arrays, held), validation.labels) if len(held) else 0.0
        if best is None or loss < best[0]:
            best = loss, arrays
    return best[1]


def score(arrays: dict[str, np.ndarray], part, settings) -> np.ndarray:
    return scores.scores(arrays, part.whole())

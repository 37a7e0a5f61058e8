"""What heads predict from features: scores and probabilities, higher = more probably yes. Trains nothing.

A head is a few arrays: two layers, or one (a logistic regression), as the names of its arrays tell. The probability is
the score divided by the head's temperature, through the logistic function. Plain numpy, so that nothing heavy is loaded
to apply a head.
"""

import numpy as np

ROWS = 8192  # at a time
DIGITS = 6  # of a score: further ones depend on the machine


def scores(head: dict[str, np.ndarray], features: np.ndarray) -> np.ndarray:
    """One score per row; 0 is undecided."""
    found = [_scores(head, features[start : start + ROWS]) for start in range(0, len(features), ROWS)]
    return np.round(np.concatenate(found), DIGITS) if found else np.empty(0)


def _scores(head, features):
    features = np.asarray(features, np.float32)
    if "inner.weight" in head:
        features = np.maximum(features @ head["inner.weight"].T + head["inner.bias"], 0)
    return (features @ head["outer.weight"] + head["outer.bias"]).astype(np.float64)


def probabilities(scores, temperature: float) -> np.ndarray:
    return np.round(1 / (1 + np.exp(-np.asarray(scores, float) / temperature)), DIGITS)

"""What heads are and what they predict from features: scores and probabilities, higher = more probably yes. A head is
the arrays of two layers, or of one (a logistic regression). Its temperature, which divides the score before the
logistic function, is fitted on the validation part alone. Plain numpy, so that nothing heavy is loaded to apply a
head."""

from dataclasses import dataclass

import numpy as np

from ragassay.base.errors import AssayError

MLP, LOGISTIC = "mlp", "logistic"
BINS = 10
COOLEST, HOTTEST = 0.05, 20.0
ROWS = 8192  # at a time
FARTHEST = 700  # power of e that a number can hold
DIGITS = 6  # of a score: further ones depend on the machine


class HeadScoreError(AssayError):
    """A head scores a question that has features by what is no finite number."""


@dataclass(frozen=True)
class Recipe:
    """How a head with two layers is trained. With `standardize`, scaling by mean and variance of the training part
    becomes part of the head.
    """

    hidden: int = 128
    dropout: float = 0.1
    epochs: int = 10
    batch: int = 8
    rate: float = 1e-4
    standardize: bool = False


def scores(head: dict[str, np.ndarray], features: np.ndarray) -> np.ndarray:
    """One score per row; 0 is undecided. A row whose features are all NaN has none: NaN."""
    with np.errstate(over="ignore", invalid="ignore"):  # scores that are not finite are refused below
        pieces = [_scores(head, features[start : start + ROWS]) for start in range(0, len(features), ROWS)]
    values = np.round(np.concatenate(pieces), DIGITS) if pieces else np.empty(0)
    undefined = ~np.isfinite(values)
    if undefined.any() and not np.isnan(features[undefined]).all():
        raise HeadScoreError("a head gave a score that is no finite number; check the encoder, or train the head again")
    return values


def _scores(head, features):
    features = np.asarray(features, np.float32)
    if "inner.weight" in head:
        features = np.maximum(features @ head["inner.weight"].T + head["inner.bias"], 0)
    return (features @ head["outer.weight"] + head["outer.bias"]).astype(np.float64)


def probabilities(scores, temperature: float) -> np.ndarray:
    powers = np.clip(np.asarray(scores, float) / temperature, -FARTHEST, FARTHEST)
    return np.round(1 / (1 + np.exp(-powers)), DIGITS)


def temperature(scores, labels) -> float:
    """The divisor of scores with the least log loss; 1 if there is nothing to fit on."""
    scores, labels = np.asarray(scores, float), np.asarray(labels, float)
    if not len(scores) or labels.all() or not labels.any():
        return 1.0
    from scipy.optimize import minimize_scalar  # not needed to measure calibration

    best = minimize_scalar(
        lambda power: log_loss(scores / np.exp(power), labels),
        bounds=(np.log(COOLEST), np.log(HOTTEST)),
        method="bounded",
    )
    return round(float(np.exp(best.x)), 4)


def log_loss(scores, labels) -> float:
    scores, labels = np.asarray(scores, float), np.asarray(labels, float)
    return float(np.mean(np.logaddexp(0, scores) - labels * scores))


def expected_error(probabilities, labels) -> float | None:
    """The mean distance between predicted and true shares, over bins by their size; None without items."""
    probabilities, labels = np.asarray(probabilities, float), np.asarray(labels, float)
    numbers, distances = bins(probabilities), 0.0
    for number in np.unique(numbers):
        inside = numbers == number
        distances += inside.sum() * abs(probabilities[inside].mean() - labels[inside].mean())
    return float(distances / len(numbers)) if len(numbers) else None


def bins(probabilities) -> np.ndarray:
    """The number of the bin that each belongs to."""
    return np.minimum((np.asarray(probabilities, float) * BINS).astype(int), BINS - 1)

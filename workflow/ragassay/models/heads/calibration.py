"""Whether a probability of 0.8 is right eight times in ten: reliability by bins, its mean error, and a temperature that
corrects as much of it as one number can. The temperature is fitted on the validation part and nowhere else.
"""

import numpy as np

BINS = 10
COOLEST, HOTTEST = 0.05, 20.0


def temperature(scores, labels) -> float:
    """The divisor of scores with the least log loss; 1 if there is nothing to fit on."""
    scores, labels = np.asarray(scores, float), np.asarray(labels, float)
    if not len(scores) or labels.all() or not labels.any():
        return 1.0
    from scipy.optimize import minimize_scalar  # not needed to measure calibration

    found = minimize_scalar(
        lambda power: _loss(scores / np.exp(power), labels),
        bounds=(np.log(COOLEST), np.log(HOTTEST)),
        method="bounded",
    )
    return round(float(np.exp(found.x)), 4)


def _loss(scores, labels):
    return float(np.mean(np.logaddexp(0, scores) - labels * scores))


def log_loss(scores, labels) -> float:
    return _loss(np.asarray(scores, float), np.asarray(labels, float))


def reliability(probabilities, labels, weights=None) -> list[dict]:
    """For each bin with items: how many, their mean probability, and the share whose label is yes."""
    probabilities, labels = np.asarray(probabilities, float), np.asarray(labels, float)
    weights = np.ones(len(labels)) if weights is None else np.asarray(weights, float)
    places, found = bins(probabilities), []
    for number in range(BINS):
        inside = (places == number) & (weights > 0)
        if inside.any():
            means = (np.average(values[inside], weights=weights[inside]) for values in (probabilities, labels))
            found.append(
                {
                    "bin": number,
                    "n": float(weights[inside].sum()),
                    **dict(zip(("predicted", "observed"), means, strict=True)),
                }
            )
    return found


def bins(probabilities) -> np.ndarray:
    """The number of the bin that each belongs to."""
    return np.minimum((np.asarray(probabilities, float) * BINS).astype(int), BINS - 1)


def expected_error(probabilities, labels, weights=None) -> float | None:
    """The mean distance between predicted and true shares, over bins by their size; None without items."""
    found = reliability(probabilities, labels, weights)
    total = sum(own["n"] for own in found)
    return float(sum(own["n"] * abs(own["predicted"] - own["observed"]) for own in found) / total) if total else None

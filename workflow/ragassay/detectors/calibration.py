"""Whether a probability of 0.8 is right eight times in ten: reliability by bins, its mean error, and a temperature that
mends what one number can mend. The temperature is fitted on the validation part and nowhere else.
"""

import numpy as np

BINS = 10
COOLEST, HOTTEST = 0.05, 20.0


def temperature(scores, out_of_scope) -> float:
    """What scores are to be divided by for the least log loss; 1 if there is nothing to fit on."""
    scores, labels = np.asarray(scores, float), np.asarray(out_of_scope, float)
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


def log_loss(scores, out_of_scope) -> float:
    return _loss(np.asarray(scores, float), np.asarray(out_of_scope, float))


def reliability(probabilities, out_of_scope, weights=None) -> list[dict]:
    """For each bin with items: how many, their mean probability, and the share that is out of scope."""
    probabilities, labels = np.asarray(probabilities, float), np.asarray(out_of_scope, float)
    weights = np.ones(len(labels)) if weights is None else np.asarray(weights, float)
    places, found = bins(probabilities), []
    for number in range(BINS):
        inside = (places == number) & (weights > 0)
        if inside.any():
            means = (np.average(values[inside], weights=weights[inside]) for values in (probabilities, labels))
            found.append(
                {"bin": number, "n": float(weights[inside].sum()), **dict(zip(("said", "true"), means, strict=True))}
            )
    return found


def bins(probabilities) -> np.ndarray:
    """The number of the bin that each belongs to."""
    return np.minimum((np.asarray(probabilities, float) * BINS).astype(int), BINS - 1)


def expected_error(probabilities, out_of_scope, weights=None) -> float | None:
    """The mean distance of what is said to what is true, over bins by their size; None of nothing."""
    found = reliability(probabilities, out_of_scope, weights)
    total = sum(own["n"] for own in found)
    return float(sum(own["n"] * abs(own["said"] - own["true"]) for own in found) / total) if total else None

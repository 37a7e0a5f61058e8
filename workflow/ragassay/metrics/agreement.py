"""How far people, or people and a model, agree beyond chance: Cohen's kappa and Krippendorff's alpha, nominal. Items
may have weights, so that a resample is a vector of counts. Undefined values, as with only one label in use, are None.
"""

import numpy as np


def kappa(first, second, weights=None) -> float | None:
    """Cohen's kappa of two raters who labelled the same items."""
    first, second = np.asarray(first), np.asarray(second)
    weights = np.ones(len(first)) if weights is None else np.asarray(weights, float)
    total = weights.sum()
    if not total:
        return None
    chance = sum(
        weights[first == label].sum() / total * weights[second == label].sum() / total for label in np.unique(first)
    )
    observed = (weights * (first == second)).sum() / total
    return float((observed - chance) / (1 - chance)) if chance < 1 else None


def alpha(counts, weights=None) -> float | None:
    """Krippendorff's alpha; `counts[item, label]` is how many raters gave an item a label, of two raters or more."""
    counts = np.asarray(counts, float)
    weights = np.ones(len(counts)) if weights is None else np.asarray(weights, float)
    raters = counts.sum(axis=1) if len(counts) else np.zeros(0)
    counts, weights, raters = (part[raters > 1] for part in (counts, weights, raters))
    share = (weights / (raters - 1))[:, None]
    agreeing = (share * counts * (counts - 1)).sum()
    totals = (weights[:, None] * counts).sum(axis=0)
    pairs = totals.sum()
    different = pairs**2 - (totals**2).sum()
    return float(1 - (pairs - 1) * (pairs - agreeing) / different) if different > 0 else None

"""A defence that looks at passages and a probe that looks at the answer, on the very same prompts:

    defence  alone: the score of a prompt's most suspicious passage
    probe    alone
    chain    the defence first, then the probe on what the defence suspects: an alarm needs both
    either   an alarm of one of them is enough

All four are allowed the same share of false alarms. Scores become ranks among the right answers of other folds, so that
they can be compared; of a prompt's two ranks a chain has the lower and `either` the higher. Thresholds come from the
same right answers.
"""

import numpy as np

from ragassay.studies.poisoning.defences.thresholds import rank

WAYS = DEFENCE, PROBE, CHAIN, EITHER = "defence", "probe", "chain", "either"


def ways(defence, probe, right, folds, fpr: float) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """way -> score of each prompt, and whether there is an alarm. `defence` and `probe` are scores, `right` says which
    prompts have right answers that are no attack's; a fold without any elsewhere has no score (NaN).
    """
    found = {way: (np.full(len(folds), np.nan), np.zeros(len(folds), bool)) for way in WAYS}
    for fold in np.unique(folds):
        here, others = folds == fold, right & (folds != fold)
        if not others.any():
            continue
        one, other = (rank(values, np.sort(values[others])) for values in (defence, probe))
        combined = {DEFENCE: one, PROBE: other, CHAIN: np.minimum(one, other), EITHER: np.maximum(one, other)}
        for way, values in combined.items():
            scores, flagged = found[way]
            scores[here] = values[here]
            flagged[here] = values[here] > np.quantile(values[others], 1 - fpr, method="higher")
    return found

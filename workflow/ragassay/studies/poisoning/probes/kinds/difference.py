"""The difference of means: how far a sample lies from the mean of right answers towards that of poisoned ones. There is
nothing to choose and nothing to stop."""

import numpy as np

from ragassay.studies.poisoning.probes.kinds import logistic
from ragassay.studies.poisoning.probes.samples import scaling


class Kind(logistic.Kind):
    SETTINGS = {}

    def fit(self, training, validation, seed=0):
        scale = scaling(training)
        given = scale.flat(training)
        poisoned, right = (given[training.labels == kind].mean(axis=0, dtype=np.float64) for kind in (True, False))
        weight = poisoned - right
        weight /= max(float(weight @ weight), 1e-12)
        self.fitted = scale.worked_into(weight, -float(weight @ (poisoned + right)) / 2)
        return self

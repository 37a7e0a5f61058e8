"""The paper's probe: a ResNet-18, trained with triplets on the image of layers x width; an answer is of the kind of
the nearest sample of a support set. The score is the distance to the nearest right sample less that to the nearest
poisoned one. The network is imported when it is used, since planning reads the settings."""

from ragassay.studies.poisoning.probes.samples import ActivationProbe


class Kind(ActivationProbe):
    SETTINGS = {
        "support": 100, "epochs": 60, "batch": 64, "rate": 1e-3, "margin": 1.0, "dimensions": 24,
        "widths": [64, 128, 256, 512], "scaling": "whole",
    }  # fmt: skip
    ARRAYS = ("mean", "factor", "support", "poisoned")  # and those of the network

    def check(self, layers):
        from ragassay.studies.poisoning.probes import _triplets

        _triplets.check(self.fitted, layers, self.settings)

    def fit(self, training, validation, seed=0):
        from ragassay.studies.poisoning.probes import _triplets

        self.fitted = _triplets.fit(training, validation, self.settings, seed)
        return self

    def score(self, part):
        from ragassay.studies.poisoning.probes import _triplets

        return _triplets.score(self.fitted, part, self.settings)

"""Two layers on all activations side by side, stopped where the validation part has the least loss."""

from ragassay.models.heads.scores import Recipe
from ragassay.studies.poisoning.probes.kinds import logistic


class Kind(logistic.Kind):
    SETTINGS = {"hidden": 64, "dropout": 0.1, "epochs": 10, "batch": 32, "rate": 1e-3}
    ARRAYS = ("inner.weight", "inner.bias", *logistic.Kind.ARRAYS)

    def fit(self, training, validation, seed=0):
        from ragassay.models.heads import head  # imports torch, which planning does without

        parts = (head.Labelled(part.whole(), part.labels) for part in (training, validation))
        self.fitted, _ = head.train(*parts, Recipe(**self.settings, standardize=True), seed)
        return self

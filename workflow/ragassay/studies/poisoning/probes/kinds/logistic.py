"""Logistic regression on all activations side by side. Of several penalties the one with the least loss on the
validation part is kept. A sparse one rests on few features."""

from ragassay.models.heads import regression, scores
from ragassay.studies.poisoning.probes.samples import ActivationProbe, scaling

ITERATIONS = 300


class Kind(ActivationProbe):
    SETTINGS = {"strengths": [0.001, 0.01, 0.1], "sparse": False}  # the lower, the simpler

    def fit(self, training, validation, seed=0):
        scale = scaling(training)
        given, held = scale.flat(training), validation.whole()
        sparse_seed = seed if self.settings.get("sparse") else None

        def fitted(strength):
            model = regression.fit(
                given, training.labels, strength=strength, balanced=True, iterations=ITERATIONS, sparse_seed=sparse_seed
            )[-1]
            return scale.worked_into(model.coef_[0], float(model.intercept_[0]))

        def loss(arrays):
            return scores.log_loss(scores.scores(arrays, held), validation.labels) if len(held) else 0.0

        self.fitted = min(map(fitted, self.settings["strengths"]), key=loss)
        return self

    def score(self, part):
        return scores.scores(self.fitted, part.whole())

"""What the model is about to say: the last layer's state as log-probabilities of next tokens, by the model's own
output layer, and a sparse logistic regression on them. No linear function of the state shows them. Only the tokens
count that are likeliest on the training part, so that a saved probe needs no output layer."""

import numpy as np

from ragassay.base import fitted_files
from ragassay.models.heads import heads_file
from ragassay.studies.poisoning.probes.kinds import logistic
from ragassay.studies.poisoning.probes.samples import Part

ROWS = 256  # samples at a time, whose numbers are as many as the model has tokens


class Kind(logistic.Kind):
    SETTINGS = {"tokens": 500, "strengths": [0.03, 0.1, 0.3], "sparse": True}
    ARRAYS = ("words", *logistic.Kind.ARRAYS)
    OUTPUT = "last"  # layer, which the output layer reads

    def fit(self, training, validation, seed=0):
        last = np.concatenate([states[:, -1] for states in training.chunks()])
        words = likeliest(last, training.features.output, self.settings["tokens"])
        super().fit(self.read(words, training), self.read(words, validation), seed)
        self.fitted = {"words": words} | self.fitted
        return self

    def check(self, layers):
        if self.OUTPUT == "last" and layers != 1:
            raise ValueError(f"found {layers} layers, expected the last one alone")
        words = fitted_files.check("words", self.fitted["words"], "float32", (None, None))
        heads_file.check_head(
            {name: self.fitted[name] for name in self.fitted if name != "words"}, self.numbers(layers)
        )
        if not len(words):
            raise ValueError("found no words")

    def numbers(self, layers: int) -> int:
        """How many numbers of a sample the head reads."""
        return len(self.fitted["words"])

    def score(self, part):
        return super().score(self.read(self.fitted["words"], part))

    def read(self, words: np.ndarray, part: Part) -> Part:
        """What the model is about to say, by rows of its output layer."""
        logs = log_probabilities(part.whole(), words)
        return Part(logs[:, None], np.arange(len(logs)), part.labels)


def likeliest(states: np.ndarray, output: np.ndarray, count: int) -> np.ndarray:
    """The rows of the output layer for the tokens that are most probable in these states on average."""
    total = np.zeros(len(output))
    for start in range(0, len(states), ROWS):
        total += np.exp(log_probabilities(states[start : start + ROWS], output)).sum(axis=0, dtype=np.float64)
    return output[np.sort(np.argsort(-total, kind="stable")[:count])]


def log_probabilities(states: np.ndarray, output: np.ndarray) -> np.ndarray:
    """Of each of these tokens, if no other can follow: samples x tokens."""
    logits = states @ output.T
    logits -= logits.max(axis=1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))

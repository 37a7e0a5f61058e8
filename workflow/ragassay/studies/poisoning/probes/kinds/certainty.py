"""How certain the model is of its next token, layer by layer, by its own output layer: the entropy, the highest
log-probabilities, and how far each layer agrees with the last. Where passages and memory compete, layers disagree.
Only the tokens count that are likeliest in the last layer on the training part, so that a saved probe needs no output
layer."""

import numpy as np

from ragassay.studies.poisoning.probes.kinds import lens
from ragassay.studies.poisoning.probes.samples import Part

HIGHEST = 5  # log-probabilities of a layer
NUMBERS = HIGHEST + 4  # of a layer, in all
LEAST = 1e-9  # that a state's length is divided by


class Kind(lens.Kind):
    SETTINGS = {"tokens": 2000, "strengths": [0.001, 0.01, 0.1, 1.0]}
    OUTPUT = "all"  # layers that the output layer reads

    def numbers(self, layers):
        return layers * NUMBERS

    def read(self, words, part):
        layers = part.features.shape[1]
        numbers = [
            certainties(states[start : start + lens.ROWS], words)
            for states in part.chunks()
            for start in range(0, len(states), lens.ROWS)
        ]
        features = np.concatenate([np.empty((0, layers, NUMBERS), np.float32), *numbers])
        return Part(features, np.arange(len(features)), part.labels)


def certainties(states: np.ndarray, words: np.ndarray) -> np.ndarray:
    """The numbers of each layer, samples x layers x numbers, from samples x layers x width."""
    length = np.linalg.norm(states, axis=2, keepdims=True)
    states = states * (length[:, -1:] / np.maximum(length, LEAST))
    logs = lens.log_probabilities(states.reshape(-1, states.shape[2]), words).reshape(*states.shape[:2], -1)
    share, last = np.exp(logs), logs[:, -1]  # samples x layers x tokens, samples x tokens
    entropy = -np.einsum("slt,slt->sl", share, logs)
    crossed = -np.einsum("st,slt->sl", share[:, -1], logs)
    answer = np.take_along_axis(logs, last.argmax(axis=1)[:, None, None], axis=2)  # the last layer's likeliest token
    return np.concatenate(
        [
            entropy[:, :, None],
            np.sort(np.partition(logs, -HIGHEST, axis=2)[:, :, -HIGHEST:], axis=2),
            answer,
            np.log1p((logs > answer).sum(axis=2, keepdims=True)),  # the tokens that this layer prefers to it
            (crossed - entropy[:, -1:])[:, :, None],  # Kullback-Leibler divergence of the last layer from it
        ],
        axis=2,
    ).astype(np.float32)

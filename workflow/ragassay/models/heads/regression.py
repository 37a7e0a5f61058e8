"""Logistic regression: the one place that fits it. It is what a second layer has to beat, what the controls of shared
words and of wording are made of, and the simplest probe. Scales nothing by itself, but for `train`. Planning never
loads scikit-learn."""

from collections.abc import Callable

import numpy as np

ITERATIONS = 2000
SPARSE = {"l1_ratio": 1, "solver": "liblinear"}


def fit(inputs, labels, *steps, strength=1.0, balanced=False, iterations=ITERATIONS, sparse_seed: int | None = None):
    """A fitted pipeline of `steps`, such as a scaler or a vectorizer, and a regression, which comes last. The lower the
    `strength`, the simpler the model. With `balanced`, classes count alike. With `sparse_seed` few weights differ
    from 0. Labels may have more than two classes.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    penalty = {} if sparse_seed is None else {**SPARSE, "random_state": sparse_seed}
    weights = "balanced" if balanced else None
    regression = LogisticRegression(C=strength, class_weight=weights, max_iter=iterations, **penalty)
    return make_pipeline(*steps, regression).fit(inputs, labels)


def one_class(labels) -> bool:
    """Whether there is nothing to tell apart."""
    return len(set(np.asarray(labels).tolist())) < 2


def out_of_fold(folds, inputs: list, labels, fit: Callable, scores: Callable, usable=None) -> list[float | None]:
    """The score of each input by a fit on inputs of other folds; None where these have labels of one class only.

    `fit(inputs, labels)` gives a model and `scores(model, inputs)` its scores. With a mask `usable` nothing else is
    fitted on. An item's fold must not depend on other items: use a hash of its cluster.
    """
    folds, labels = np.asarray(folds), np.asarray(labels)
    usable = np.arange(len(folds)) if usable is None else np.flatnonzero(usable)
    models = fits(np.unique(folds), folds[usable], [inputs[at] for at in usable], labels[usable], fit)
    return scored(models, folds, inputs, scores)


def fits(names, folds, inputs, labels, fit: Callable) -> dict:
    """For each of these folds, a fit on the inputs of all others; None where these have labels of one class only."""
    folds, models = np.asarray(folds), {}
    for name in names:
        others = np.flatnonzero(folds != name)
        models[name] = None if one_class(labels[others]) else fit([inputs[at] for at in others], labels[others])
    return models


def scored(models: dict, folds, inputs, scores: Callable) -> list[float | None]:
    """The score of each input by the model for its fold."""
    folds, result = np.asarray(folds), [None] * len(folds)
    for name, model in models.items():
        inside = np.flatnonzero(folds == name)
        if model is not None and len(inside):
            for at, score in zip(inside, scores(model, [inputs[at] for at in inside]), strict=True):
                result[at] = score
    return result


def train(features: np.ndarray, labels: np.ndarray, balanced: bool = False) -> dict[str, np.ndarray]:
    """A head as arrays, standardised by the features' own means and spreads, with numbers of 32 bits."""
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler(copy=False)  # the only copy is the one that is made here
    model = fit(np.array(features, np.float32), np.asarray(labels, bool), scaler, balanced=balanced)
    weight = model[-1].coef_[0] / scaler.scale_
    bias = model[-1].intercept_ - weight @ scaler.mean_
    return {"outer.weight": weight.astype(np.float32), "outer.bias": bias.astype(np.float32)}

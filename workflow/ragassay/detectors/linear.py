"""Logistic regression on the same features: what a detector's second layer has to beat.

A similarity threshold and the overlap control are such regressions too, on one feature and on ten.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

ITERATIONS = 2000


def train(features: np.ndarray, out_of_scope: np.ndarray, balanced: bool = False) -> dict[str, np.ndarray]:
    """The head as arrays; features are standardised by their own means, which is worked into the weights."""
    weights = "balanced" if balanced else None
    model = make_pipeline(StandardScaler(), LogisticRegression(class_weight=weights, max_iter=ITERATIONS))
    model.fit(np.asarray(features, np.float64), np.asarray(out_of_scope, bool))
    scaler, regression = model[0], model[1]
    weight = regression.coef_[0] / scaler.scale_
    bias = regression.intercept_ - weight @ scaler.mean_
    return {"outer.weight": weight.astype(np.float32), "outer.bias": bias.astype(np.float32)}

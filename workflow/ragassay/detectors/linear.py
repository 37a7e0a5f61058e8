"""Logistic regression on the same features: what a detector's second layer has to beat.

A similarity threshold and the overlap control are such regressions too, on one feature and on ten. Numbers of 32 bits
suffice: what they change of a score is less than what the solver leaves when it stops.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

ITERATIONS = 2000


def train(features: np.ndarray, out_of_scope: np.ndarray, balanced: bool = False) -> dict[str, np.ndarray]:
    """The head as arrays; features are standardised by their own means, which is worked into the weights."""
    weights = "balanced" if balanced else None
    scaler = StandardScaler(copy=False)  # the only copy is the one that is made here
    model = make_pipeline(scaler, LogisticRegression(class_weight=weights, max_iter=ITERATIONS))
    model.fit(np.array(features, np.float32), np.asarray(out_of_scope, bool))
    regression = model[1]
    weight = regression.coef_[0] / scaler.scale_
    bias = regression.intercept_ - weight @ scaler.mean_
    return {"outer.weight": weight.astype(np.float32), "outer.bias": bias.astype(np.float32)}

"""Logistic regression on the same features: what a second layer has to beat.

With one feature it is a threshold. 32 bits suffice: rounding changes a score less than the solver's tolerance.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

ITERATIONS = 2000


def train(features: np.ndarray, labels: np.ndarray, balanced: bool = False) -> dict[str, np.ndarray]:
    """The head as arrays; features are standardised by their own means, which is worked into the weights."""
    weights = "balanced" if balanced else None
    scaler = StandardScaler(copy=False)  # the only copy is the one that is made here
    model = make_pipeline(scaler, LogisticRegression(class_weight=weights, max_iter=ITERATIONS))
    model.fit(np.array(features, np.float32), np.asarray(labels, bool))
    regression = model[1]
    weight = regression.coef_[0] / scaler.scale_
    bias = regression.intercept_ - weight @ scaler.mean_
    return {"outer.weight": weight.astype(np.float32), "outer.bias": bias.astype(np.float32)}

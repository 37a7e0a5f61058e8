"""The overlap control: a logistic regression on the ten features of `overlap_features`, and nothing else.

Its score of a question comes from a fit that saw neither the question nor any other about its document or
near-duplicates of it. The fold of near-duplicates is a hash of their cluster's id, so that new documents move no old
one. The control says how much of a label word overlap alone gives away; it is no judge.
"""

import hashlib

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ragassay.schemas.scope_questions import FEATURES

FOLDS = 5
DIGITS = 6  # of a score: further digits depend on the machine


def fold(cluster_id: str) -> int:
    return int.from_bytes(hashlib.sha256(cluster_id.encode()).digest()[:4], "big") % FOLDS


def matrix(rows: list[dict]) -> np.ndarray:
    return np.array([[row[name] for name in FEATURES] for row in rows], float).reshape(len(rows), len(FEATURES))


def fit(rows: list[dict], out_of_scope):
    """A classifier on rows with the ten features; None if they are all of one kind."""
    if one_kind(out_of_scope):
        return None
    model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=1000))
    return model.fit(matrix(rows), np.asarray(out_of_scope, bool))


def one_kind(out_of_scope) -> bool:
    """Whether there is nothing to tell apart."""
    labels = np.asarray(out_of_scope, bool)
    return not len(labels) or bool(labels.all()) or not labels.any()


def probabilities(model, rows: list[dict]) -> list[float]:
    """How probably each question is out of scope, by its overlap."""
    return np.round(model.predict_proba(matrix(rows))[:, 1], DIGITS).tolist() if rows else []


def scores(rows: list[dict], out_of_scope, graded=None) -> list[float | None]:
    """The control's score of each row; None where the other documents are too few to train on. With a mask `graded` it
    is trained on those rows only.
    """
    return out_of_fold(rows, out_of_scope, list, fit, probabilities, graded)


def out_of_fold(rows: list[dict], out_of_scope, inputs, fit, probabilities, graded=None) -> list[float | None]:
    """The same of any control: `fit` and `probabilities` work on what `inputs` makes of rows."""
    folds, labels = np.array([fold(row["cluster_id"]) for row in rows]), np.asarray(out_of_scope, bool)
    graded = np.ones(len(rows), bool) if graded is None else np.asarray(graded, bool)
    found = [None] * len(rows)
    for number in range(FOLDS):
        inside, outside = np.flatnonzero(folds == number), np.flatnonzero((folds != number) & graded)
        model = fit(inputs([rows[at] for at in outside]), labels[outside])
        if model is not None:
            given = probabilities(model, inputs([rows[at] for at in inside]))
            for at, score in zip(inside, given, strict=True):
                found[at] = score
    return found

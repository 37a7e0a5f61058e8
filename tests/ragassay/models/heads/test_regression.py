"""Logistic regression is that of scikit-learn, and a fold is scored by a fit that never saw it."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from ragassay.models.heads import regression, scores


def test_a_head_is_the_regression_of_scikit_learn(data):
    made = data()
    scaled = StandardScaler().fit_transform(made.features)
    wanted = LogisticRegression(max_iter=2000).fit(scaled, made.labels).decision_function(scaled)
    predicted = scores.scores(regression.train(made.features, made.labels), made.features)
    assert np.abs(predicted - wanted).max() < 1e-3


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"strength": 0.01}, {"C": 0.01}),
        ({"balanced": True}, {"class_weight": "balanced"}),
        (
            {"sparse_seed": 3, "strength": 0.1},
            {"C": 0.1, "l1_ratio": 1, "solver": "liblinear", "random_state": 3},
        ),
    ],
)
def test_settings_reach_the_fit(data, given, wanted):
    made = data()
    chosen = made.labels | (made.features[:, 1] > 0)  # classes of unequal size
    fitted = regression.fit(made.features, chosen, **given)[-1]
    assert (fitted.coef_ == LogisticRegression(max_iter=2000, **wanted).fit(made.features, chosen).coef_).all()
    assert (fitted.coef_ != LogisticRegression(max_iter=2000).fit(made.features, chosen).coef_).any()


def test_each_fold_is_scored_by_the_usable_items_of_all_others():
    folds, labels = [0, 0, 1, 1, 2, 2], [True, False, True, False, True, True]
    usable = [True, True, True, True, True, False]
    seen = regression.out_of_fold(
        folds, list("abcdef"), labels, lambda inputs, _: "".join(inputs), lambda model, own: [model] * len(own), usable
    )
    assert seen == ["cde", "cde", "abe", "abe", "abcd", "abcd"]


def test_a_fold_whose_others_are_all_alike_has_no_scores():
    seen = regression.out_of_fold([0, 1, 1], ["a", "b", "c"], [True, True, True], None, None)
    assert seen == [None] * 3 and regression.one_class([]) and not regression.one_class([0, 1])

"""ROC curves of defences beside scikit-learn's, and the clean texts behind their thresholds."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from ragassay.metrics.panel import Panel
from ragassay.studies.poisoning.defences.thresholds import ALL
from ragassay.studies.poisoning.measures.detection import ranking_rows, size_rows


def test_a_roc_curve_counts_scores_at_its_limits_and_nothing_that_is_planted_for_others():
    dice = np.random.default_rng(0)
    scores, poison, stray = dice.integers(0, 6, 90).astype(float), np.arange(90) < 30, np.arange(90) >= 75
    scores[poison] += 2
    table = pd.DataFrame({"score": scores, "poison": poison, "stray": stray})
    rows = list(ranking_rows({}, table, Panel(np.arange(90), 20, 0)))
    values = {row["metric"]: row["value"] for row in rows if row["table"] == "matched"}
    assert values["auroc"] == pytest.approx(roc_auc_score(poison[~stray], scores[~stray]))
    curve = {(json.loads(row["keys"])["at"], row["metric"]): row["value"] for row in rows if row["table"] == "roc"}
    limits = {at for at, _ in curve}
    assert limits == {"-inf", "inf", *(f"{score:g}" for score in set(scores[~poison & ~stray]))}
    for at in limits:
        assert curve[at, "tpr"] == np.mean([score >= float(at) for score in scores[poison]])
        assert curve[at, "fpr"] == np.mean([score >= float(at) for score in scores[~poison & ~stray]])


def test_a_defence_stands_on_as_many_texts_as_its_criterion_with_the_fewest():
    nulls = {"ppl": {"texts": 500, "rough": False}, "window": {"texts": 60, "rough": True}}
    rows = size_rows({}, {"fitted": {ALL: {"criteria": nulls}}, "queries": 70})
    assert {row["metric"]: (row["value"], row["n"]) for row in rows} == {"null_texts": (60, 70), "rough": (1, 70)}
    assert not list(size_rows({}, {"fitted": {ALL: {"threshold": 0.5}}, "queries": 70}))

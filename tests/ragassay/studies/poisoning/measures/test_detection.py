"""ROC curves of defences beside scikit-learn's, and the clean texts behind their thresholds."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from ragassay.metrics.panel import Panel
from ragassay.studies.poisoning.defences.thresholds import ALL
from ragassay.studies.poisoning.measures.detection import difference_rows, ranking_rows, size_rows


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


def test_defences_are_compared_where_a_twentieth_of_the_clean_passages_lies_above_if_their_scores_differ():
    dice = np.random.default_rng(1)
    about = {"target_id": [f"t{at % 10}" for at in range(90)], "passage_id": [f"p{at}" for at in range(90)]}
    about |= {"poison": np.arange(90) < 40, "stray": np.arange(90) >= 83}
    about["clean"] = ~about["poison"] & ~about["stray"]
    scores = {
        "raguard": dice.integers(0, 6, 90), "other": dice.integers(0, 9, 90) + 2 * about["poison"],
        "two": about["poison"] * 1.0, "flat": np.full(90, 0.5),
        "none": np.where(np.arange(90) == 3, np.nan, dice.random(90)),
    }  # fmt: skip
    judged = {("s", "r", "a", name): pd.DataFrame({**about, "score": own}) for name, own in scores.items()}

    def hits(name):
        own = np.nan_to_num(scores[name].astype(float), nan=-1)
        allowed = sum(about["clean"]) // 20  # so many may lie above
        limit = sorted(own[about["clean"]], reverse=True)[allowed]
        return own[about["poison"]] > limit

    rows = {(json.loads(row["keys"])["defence"], row["metric"]): row for row in difference_rows(judged, 50, 0)}
    assert {name for name, _ in rows} == {"other", "two", "none"}
    for name in ("other", "two", "none"):
        expected = hits(name).mean() - hits("raguard").mean()
        assert rows[name, "difference"]["value"] == pytest.approx(expected) and rows[name, "p"]["n"] == 40
    judged["s", "r", "a", "raguard"]["score"] = 0.5
    constant = {json.loads(row["keys"])["defence"] for row in difference_rows(judged, 0, 0)}
    assert constant == {"other", "two", "none"}, "raguard itself may be constant"


def test_a_defence_stands_on_as_many_texts_as_its_criterion_with_the_fewest():
    nulls = {"ppl": {"texts": 500, "rough": False}, "window": {"texts": 60, "rough": True}}
    rows = size_rows({}, {"fitted": {ALL: {"criteria": nulls}}, "queries": 70})
    assert {row["metric"]: (row["value"], row["n"]) for row in rows} == {"null_texts": (60, 70), "rough": (1, 70)}
    assert not list(size_rows({}, {"fitted": {ALL: {"threshold": 0.5}}, "queries": 70}))

"""ROC curves of defences beside scikit-learn's, the clean texts behind their thresholds, and what gets past them."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from ragassay.metrics.panel import Panel
from ragassay.studies.poisoning.defences.thresholds import ALL
from ragassay.studies.poisoning.measures.detection import (
    SECTION,
    difference_rows,
    knowledge_rows,
    ranking_rows,
    size_rows,
)


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


ATTACKERS = {
    "none": [None, None],
    "loud": ["question", None],
    "quiet": ["question", None],
    "copied": ["corpus", None],
    "asks_one": ["defence", ["echo"]],
    "asks_both": ["defence", ["echo", "share"]],
}
MISSED = {  # attack -> misses by defence, none for nothing found
    "loud": {"echo": 0.1, "share": 0.4},
    "quiet": {"echo": 0.3, "share": 0.2},
    "copied": {"echo": None, "share": 0.9},
    "asks_one": {"echo": 0.8, "share": 1.0},
    "asks_both": {"echo": 0.6, "share": 0.7},
}


@pytest.fixture
def matrix():
    cell = {"dataset": "mine", "retriever": "minilm"}
    rows = [
        SECTION.row("detection", cell | {"attack": attack, "defence": defence}, "fnr", value, 10, 0.0, 1.0)
        for attack, missed in MISSED.items()
        for defence, value in missed.items()
    ]
    for attack, value in (("none", 0.05), ("loud", 0.5)):
        rows.append(SECTION.row("detection", cell | {"attack": attack, "defence": "echo"}, "fpr", value, 99))
    rows.append(SECTION.row("operator", cell | {"attack": "loud", "defence": "echo"}, "fnr", 1.0, 10))
    rows.append(SECTION.row("detection", cell | {"attack": "loud", "defence": "oracle"}, "fnr", 0.0, 10))
    fitted = {("mine", "minilm", defence) for defence in ("echo", "share")}
    made = [(json.loads(row["keys"]), row) for row in knowledge_rows(rows, ATTACKERS, fitted)]
    return {(keys["attack"], keys["defence"], keys["knows"]): row for keys, row in made}


def test_each_cell_is_the_attack_that_is_missed_most_of_those_that_know_as_much(matrix):
    assert {place: row["value"] for place, row in matrix.items()} == {
        ("quiet", "echo", "question"): 0.3,
        ("loud", "share", "question"): 0.4,
        ("copied", "share", "corpus"): 0.9,
        ("asks_one", "echo", "defence"): 0.8,
        ("asks_both", "share", "defence"): 0.7,
        ("none", "echo", "false alarms"): 0.05,
    }


def test_its_numbers_and_interval_are_those_of_that_attack(matrix):
    row = matrix["none", "echo", "false alarms"]
    assert (row["table"], row["n"]) == ("knowledge", 99)
    row = matrix["asks_one", "echo", "defence"]
    assert (row["n"], row["low"], row["high"]) == (10, 0.0, 1.0)

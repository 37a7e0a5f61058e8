"""Answers with a gate, on six queries whose numbers are worked out by hand."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from ragassay.metrics.panel import Panel
from ragassay.studies.relevance import gated_answers

# In-knowledge queries first; the last of them was not asked.
PASSAGES = np.array(["right", "wrong", "", "wrong", "declined", "abstained"], object)
DIRECT = np.array(["declined", "right", "", "right", "wrong", "declined"], object)
WIDER = np.array(["right", "right", "", "right", "wrong", "right"], object)
POSITIVE = np.array([False, False, False, True, True, True])
BY_STRATEGY = {
    "no gate": PASSAGES,
    "reject": np.full(6, "declined", object),
    "answer_directly": DIRECT,
    "search_wider": WIDER,
    "ask_person": np.full(6, "person", object),
}
# Two runs, and a third in which too few queries calibrate. All are tested, except that the second run leaves out one.
REJECTED = np.array([[1, 0, np.nan], [0, 0, np.nan], [0, 0, np.nan], [1, 1, np.nan], [0, 1, np.nan], [0, 0, np.nan]])
TESTED = np.ones((6, 3), bool)
TESTED[1, 1] = False


@pytest.fixture
def shares():
    """(tag, statistic, strategy, metric) -> value."""
    trial = SimpleNamespace(positive=POSITIVE, tested=TESTED)
    performance = SimpleNamespace(trial=trial, panel=Panel(list("abcdef"), 10))
    rows = list(gated_answers.gate_rows({"set": "s"}, performance, BY_STRATEGY, {"Fused MSS": REJECTED}))
    found = {}
    for row in rows:
        keys = json.loads(row["keys"])
        if row["table"] == "gate":
            found[keys["tag"], keys["statistic"], keys["strategy"], row["metric"]] = row["value"]
    return found


@pytest.mark.parametrize(
    ("tag", "strategy", "expected"),
    [
        # run 1: right and wrong; run 2: right alone
        ("in-knowledge", "no gate", {"right": (0.5 + 1) / 2, "wrong": 0.5 / 2, "declined": 0, "person": 0}),
        ("in-knowledge", "reject", {"right": 1 / 2, "wrong": 0.5 / 2, "declined": 0.5 / 2, "right_lost": 0.5 / 2}),
        ("in-knowledge", "ask person", {"person": 0.5 / 2, "declined": 0, "wrong_avoided": 0}),
        # in both runs wrong, declined, and one without a verdict
        ("out-of-knowledge", "no gate", {"right": 0, "wrong": 0.5, "declined": 0.5}),
        ("out-of-knowledge", "reject", {"right": 0, "wrong": 0, "declined": 1, "wrong_avoided": 0.5}),
        ("out-of-knowledge", "ask person", {"person": (0.5 + 1) / 2, "declined": 0.5 / 2, "right_lost": 0}),
        # run 1: right, declined; run 2: right, wrong
        ("out-of-knowledge", "answer directly", {"right": 0.5, "wrong": 0.25, "declined": 0.25, "wrong_avoided": 0.25}),
        ("out-of-knowledge", "search wider", {"right": 0.5, "wrong": 0.25, "right_lost": -0.5}),
    ],
)
def test_shares_are_means_over_the_runs_that_decide(shares, tag, strategy, expected):
    statistic = "no gate" if strategy == "no gate" else "Fused MSS"
    assert {name: shares[tag, statistic, strategy, name] for name in expected} == pytest.approx(expected)


def test_where_no_run_decides_there_is_no_number():
    trial = SimpleNamespace(positive=POSITIVE, tested=TESTED)
    performance = SimpleNamespace(trial=trial, panel=Panel(list("abcdef"), 10))
    rows = gated_answers.gate_rows({}, performance, BY_STRATEGY, {"Energy": np.full((6, 3), np.nan)})
    assert {row["value"] for row in rows} == {None}


def test_the_chart_shows_one_statistic():
    trial = SimpleNamespace(positive=POSITIVE, tested=TESTED)
    performance = SimpleNamespace(trial=trial, panel=Panel(list("abcdef")))
    rows = list(gated_answers.gate_rows({}, performance, BY_STRATEGY, {"Energy": REJECTED, "Fused MSS": REJECTED}))
    chart = [json.loads(row["keys"])["strategy"] for row in rows if row["table"] == "gate_chart"]
    assert sorted(set(chart)) == ["answer directly", "ask person", "no gate", "reject", "search wider"]
    assert len(chart) == 2 * 5 * 2

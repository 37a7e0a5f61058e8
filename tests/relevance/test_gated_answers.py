"""Equation 1 and what gates change, by hand."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from ragassay.metrics.panel import Panel
from ragassay.schemas.corpora import QUERIES
from ragassay.schemas.relevance import DIRECT_ANSWERS, PASSAGE_ANSWERS
from ragassay.studies.relevance.searched_queries import fractions
from rows import numbers, row, written
from scripts.relevance import measure_answers
from scripts.relevance.measure_answers import Outcomes, accuracies, equation_1

IDS = np.array(["q1", "q2", "q3", "q4", "q5"])
WITH = {"q1": "right", "q2": "right", "q3": "wrong", "q4": "abstained"}  # q5 has no known answer
HELD_OUT = {"q1": "wrong", "q2": "declined"}
WITHOUT = {"q1": "declined", "q2": "right", "q3": "right", "q4": "right"}


def asked(name, ids):
    return SimpleNamespace(name=name, ids=ids, keys=np.array([f"document {one}" for one in ids]))


@pytest.fixture
def study_set():
    return SimpleNamespace(
        name="one",
        entry={"corpus": "c", "in_knowledge": "known"},
        options=SimpleNamespace(retriever="dense", retrievers=["dense", "words", "silent"]),
        known=asked("known", IDS),
        held_out=asked("known, held out", IDS[:2]),
        unknown=[("near", asked("near", IDS))],
    )


@pytest.fixture
def found(tmp_path):
    given = {("c", "dense"): WITH, ("c", "words"): dict.fromkeys(IDS[:4], "right"), ("c.held_out", "dense"): HELD_OUT}
    shown = []
    for (corpus, retriever), outcomes in given.items():
        keys = {"responder": "m", "corpus": corpus, "retriever": retriever, "query_set": "known"}
        rows = [row(PASSAGE_ANSWERS, query_id=one, outcome=own, passages=[]) for one, own in outcomes.items()]
        shown.append(written(tmp_path, PASSAGE_ANSWERS, rows, **keys))
    rows = [row(DIRECT_ANSWERS, query_id=one, outcome=own) for one, own in WITHOUT.items()]
    return Outcomes("m", shown, [written(tmp_path, DIRECT_ANSWERS, rows, responder="m", query_set="known")])


WITH_ABSTAINED = ("value", "n", "abstained")


def test_equation_1_is_right_with_passages_less_right_without(study_set, found):
    rows = numbers(equation_1(study_set, found, 20, 0), "queries", "tag", of=WITH_ABSTAINED)
    own = {name: value for (queries, tag, name), value in rows.items() if (queries, tag) == ("in-knowledge",) * 2}
    assert own == {
        "right_with": (pytest.approx(2 / 3), 3, 1),
        "right_without": (0.75, 4, 0),
        "relevance": (0.0, 3, 1),  # 1, 0 and -1
        "gained": (pytest.approx(1 / 3), 3, 1),
        "lost": (pytest.approx(1 / 3), 3, 1),
    }
    assert rows["held out", "out-of-knowledge", "relevance"] == (-0.5, 2, 0)
    assert {queries for queries, *_ in rows} == {"in-knowledge", "held out"}  # the near set was not asked


def test_an_interval_holds_the_difference(study_set, found):
    [row] = [
        row
        for row in equation_1(study_set, found, 200, 0)
        if row["metric"] == "relevance" and '"in-knowledge"' in row["keys"]
    ]
    assert -1 <= row["low"] < 0 < row["high"] <= 1


def test_an_example_is_the_first_by_a_hash_of_those_that_were_decided_alike(study_set, tmp_path):
    """Calibrated by the values 0 to 19: of what is tested, 30 to 39 are rejected."""
    ids, values = np.array([f"q{at}" for at in range(40)]), np.r_[0:20, 0:10, 30:40].astype(float)
    rows = [row(QUERIES, query_id=name, text=f"{name}?", answers=["a"]) for name in ids]
    path = written(tmp_path, QUERIES, rows, query_set="known")
    answers = {name: {"outcome": "right", "text": "a", "passages": [f"p{name}"]} for name in ids if name != "q20"}
    outcomes = SimpleNamespace(responder="m", rows=lambda *keys: answers)
    study_set.options.alpha, study_set.options.p_values = 0.05, "conformal"
    calibrating = (np.arange(40) < 20)[:, None]
    trial = SimpleNamespace(
        calibrating=calibrating, tested=~calibrating, positive=np.zeros(40, bool), kind="near",
        known=SimpleNamespace(ids=ids), unknown=SimpleNamespace(ids=ids[:0], name="known"),
    )  # fmt: skip
    shown = list(measure_answers.example_rows(study_set, trial, outcomes, [path], "MSS", values))
    order = fractions("example", ids)
    expected = [f"{min(part, key=dict(zip(ids, order, strict=True)).get)}?" for part in (ids[21:30], ids[30:])]
    assert [one["text"] for one in shown if one["part"] == "Query"] == expected
    gates = [one["text"].split(", ", 1)[1] for one in shown if one["part"] == "Gate"]
    assert gates[1] == "p = 0.048 at alpha = 0.05: out of knowledge" and gates[0].endswith("let pass")
    assert [one["position"] for one in shown] == [*range(1, 7)] * 2 and {one["example"] for one in shown} == {1, 2}


def test_each_retriever_has_an_accuracy_of_its_own(study_set, found):
    rows = numbers(accuracies(study_set, found, 0, 0), "retriever", of=WITH_ABSTAINED)
    assert rows == {("dense", "accuracy"): (pytest.approx(2 / 3), 3, 1), ("words", "accuracy"): (1.0, 4, 0)}


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


def gate_rows(rejected):
    trial = SimpleNamespace(positive=POSITIVE, tested=TESTED)
    performance = SimpleNamespace(trial=trial, panel=Panel(list("abcdef"), 10))
    return list(measure_answers.gate_rows({"set": "s"}, performance, BY_STRATEGY, rejected))


@pytest.fixture
def shares():
    """(tag, statistic, strategy, metric) -> value."""
    found = {}
    for metric in gate_rows({"Fused MSS": REJECTED}):
        keys = json.loads(metric["keys"])
        if metric["table"] == "gate":
            found[keys["tag"], keys["statistic"], keys["strategy"], metric["metric"]] = metric["value"]
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
    assert {row["value"] for row in gate_rows({"Energy": np.full((6, 3), np.nan)})} == {None}


def test_the_chart_shows_one_statistic():
    rows = gate_rows({"Energy": REJECTED, "Fused MSS": REJECTED})
    chart = [json.loads(row["keys"])["strategy"] for row in rows if row["table"] == "gate_chart"]
    assert sorted(set(chart)) == ["answer directly", "ask person", "no gate", "reject", "search wider"]
    assert len(chart) == 2 * 5 * 2

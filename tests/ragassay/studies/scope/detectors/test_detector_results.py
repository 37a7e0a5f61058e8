"""Methods side by side: right by question, seeds averaged, documents resampled."""

import json

import pandas as pd
import pytest

from ragassay.studies.scope.detectors.detector_results import by_topic, compared, judged, role_of

OVERLAP = "overlap control (e)"


def questions(count=40):
    rows = [
        {"question_id": f"q{n:03}", "doc_id": f"d{n // 8}", "out": n % 2 == 1, "topic": f"t{n % 3}"}
        for n in range(count)
    ]
    return pd.DataFrame(rows, columns=["question_id", "doc_id", "out", "topic"])


def answers(seeds=1, **methods):
    """`methods` say of the number of a question and the seed whether the answer is right."""
    rows = []
    for method, is_right in methods.items():
        for number, out in enumerate(questions()["out"]):
            for seed in range(seeds):
                answer = out if is_right(number, seed) else not out
                same = {"method": OVERLAP if method == "overlap" else method, "question_id": f"q{number:03}"}
                rows.append(same | {"out_of_scope": answer, "score": 1.0 if answer else -1.0})
    return pd.DataFrame(rows)


def found(given, own=None, times=50):
    """method -> metric -> row"""
    methods = {}
    for row in compared("figure_1", {}, questions() if own is None else own, given, times, 0):
        methods.setdefault(json.loads(row["keys"])["method"], {})[row["metric"]] = row
    return methods


def test_controls_and_models_that_were_asked_are_told_from_detectors():
    methods = ["overlap control (e)", "question alone (e)", "similarity threshold (e)", "m, asked directly"]
    methods += ["m, recorded", "states (e), regression", "a, asked directly (e)"]
    roles = ["control"] * 3 + ["asked directly", "recorded", "detector", "detector"]
    assert [role_of(method) for method in methods] == roles


def three_of_five_documents(number, _seed=0):
    return number // 8 < 3


def test_accuracy_is_the_mean_over_seeds():
    half = found(answers(2, half=lambda number, seed: seed == 0))["half"]
    assert [half["accuracy"][name] for name in ("value", "n")] == [0.5, 40]
    assert half["accuracy"]["low"] + half["accuracy"]["high"] == pytest.approx(1)
    assert half["auroc"]["value"] == 0.5


def test_a_difference_to_a_control_is_paired():
    rows = found(
        answers(better=three_of_five_documents, overlap=lambda number, _: number // 8 < 3 and number % 8), times=100
    )
    over = rows["better"]["over_overlap"]
    assert over["value"] == pytest.approx(3 / 40) and over["low"] >= 0 and over["n"] == 40
    assert rows[OVERLAP]["over_overlap"]["value"] is None, "a control is not compared with itself"
    assert rows["better"]["over_question"]["value"] is None, "this control is not used"


def test_a_method_abstains_where_it_was_asked_and_has_no_answer():
    given = answers(silent=lambda *_: True).astype({"out_of_scope": float})
    given.loc[given["question_id"] != "q001", ["out_of_scope", "score"]] = float("nan")
    rows = found(given[given["question_id"] < "q010"])["silent"]
    for name in ("accuracy", "auroc", "over_overlap"):
        assert (rows[name]["n"], rows[name]["abstained"]) == (1, 9), "30 questions were never put to it"
    assert rows["accuracy"]["value"] == 1.0 and rows["auroc"]["value"] is None


def test_the_auroc_is_that_of_the_mean_scores():
    given = answers(2, method=lambda number, _: True)
    given.loc[given["question_id"] == "q000", "score"] = [5.0, -1.0]  # on average above all that are out of scope
    assert found(given)["method"]["auroc"]["value"] == pytest.approx(19 / 20)


def test_topics_are_measured_apart():
    given = answers(method=lambda number, _: number % 3 == 0)
    rows = {json.loads(row["keys"])["topic"]: row for row in by_topic("topics", {}, questions(), given)}
    assert {topic: (row["value"], row["n"]) for topic, row in rows.items()} == {
        "t0": (1.0, 14),
        "t1": (0.0, 13),
        "t2": (0.0, 13),
    }


def test_without_questions_there_are_no_rows():
    assert found(answers(method=three_of_five_documents), questions(0)) == {}
    assert list(by_topic("topics", {}, questions(0), answers(method=three_of_five_documents))) == []


def test_models_that_were_asked_are_told_from_verdicts_that_came_with_a_set():
    labels = pd.DataFrame(
        {"judge": ["j", "j", "k"], "question_id": ["q1", "q2", "q3"], "label": ["in_scope", "tie", "out_of_scope"]}
    )
    rows = judged(labels.assign(margin=[-1.0, 0.0, 0.5]), ["j"])
    assert rows["method"].tolist() == ["j, asked directly"] * 2 + ["k, recorded"]
    assert rows["out_of_scope"].fillna(-1).tolist() == [0, -1, 1], "a tie is no answer"
    assert rows["score"].fillna(9).tolist() == [-1.0, 9, 0.5]

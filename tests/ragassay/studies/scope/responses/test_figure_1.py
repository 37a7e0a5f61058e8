"""Figure 1: right by three measures of what is right, beside what shared words alone tell."""

import json

import pytest

from ragassay.studies.scope.response_tables import OVERLAP, detection_rows, figure_1
from study import questions

OUT, IN = "out_of_scope", "in_scope"
ASKED = questions([0, 0, 1, 2], ["food"] * 3, out=[1, 0, 1, 0], kept=[1, 1, 0, 1])
LABELS = {
    "judge": dict(zip(["q0", "q1", "q2", "q3"], [OUT, IN, IN, IN], strict=True)),
    "other": {"q0": OUT, "q1": OUT, "q2": OUT, "q3": "tie"},
}


def rows(gold=None, overlap=None, hard=()):
    return list(detection_rows(ASKED, LABELS, overlap or {}, set(hard), "judge", gold or {}, 200, 0))


def found(given):
    """model -> metric -> (value, n, abstained)"""
    models = {}
    for row in given:
        own = models.setdefault(json.loads(row["keys"])["model"], {})
        own[row["metric"]] = (row["value"], row["n"], row["abstained"])
    return models


def test_a_judge_is_not_measured_on_what_it_has_chosen():
    models = found(rows())
    assert models["judge"]["meant"] == (0.75, 4, 0)
    assert models["judge"]["kept"] == models["judge"]["found"] == (None, 0, 0)
    assert models["other"]["kept"] == (0.5, 2, 1) and models["other"]["meant"] == (pytest.approx(2 / 3), 3, 1)


def test_a_model_that_was_asked_about_some_questions_abstains_on_no_others():
    labels = {"some": {"q0": OUT, "q3": "tie"}}
    some = found(detection_rows(ASKED, labels, {}, set(), "judge", {}, 200, 0))["some"]
    assert some["meant"] == (1.0, 1, 1)


def test_finding_and_false_alarms_are_told_apart():
    models = found(rows())
    assert models["other"]["found"] == (1, 1, 0) and models["other"]["false_alarms"] == (1, 1, 1)


def test_people_are_right_where_they_have_spoken():
    models = found(rows(gold={"q1": OUT, "q2": IN}))
    assert models["judge"]["gold"] == (0.5, 2, 0) and models["other"]["gold"] == (0.5, 2, 0)
    assert found(rows())["other"]["gold"] == (None, 0, 0)


def test_shared_words_alone_stand_beside_the_models():
    own = found(rows(overlap={"q0": 0.9, "q1": 0.2, "q3": 0.8}))["shared words alone"]
    assert own["kept"] == (pytest.approx(2 / 3), 3, 0) and own["false_alarms"] == (0.5, 2, 0)


def test_hard_questions_are_looked_at_apart():
    models = found(rows(hard=["q1", "q2"], overlap={"q1": 0.2}))
    assert models["other"]["hard"] == (0, 1, 0) and models["shared words alone"]["hard"] == (1, 1, 0)
    assert models["judge"]["hard"] == (None, 0, 0)


def test_the_figure_has_the_same_numbers_by_model():
    given = rows()
    drawn = list(figure_1(given))
    assert {row["table"] for row in drawn} == {"figure_1"} and found(drawn) == found(given)
    names = dict.fromkeys(row["keys"] for row in drawn)
    assert list(names) == [f'{{"at": "{at}", "model": "{name}"}}' for at, name in enumerate((*LABELS, OVERLAP))]

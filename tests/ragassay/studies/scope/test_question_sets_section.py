"""The overlap control as a judge: a score above a half says out of scope, none says nothing."""

import pandas as pd

from ragassay.studies.scope import controls, question_sets_section
from ragassay.studies.scope.votes import IN, OUT, UNCLEAR


def test_the_control_says_out_of_scope_above_a_half_and_its_margin_runs_from_minus_one_to_one(monkeypatch):
    scores = {"a": 0.75, "b": 0.5, "c": None, "d": 0.0, "e": 1.0}
    monkeypatch.setattr(controls, "overlap_scores", lambda rows, out: [scores[row["name"]] for row in rows])
    questions = pd.DataFrame({"question_id": list("edcba"), "out": [True, False, True, False, True]})
    features = pd.DataFrame({"question_id": list("abcde"), "name": list("abcde")})
    answers = question_sets_section.control(questions, features).set_index("question_id")
    assert answers["label"].to_dict() == {"a": OUT, "b": IN, "c": UNCLEAR, "d": IN, "e": OUT}
    assert answers["margin"].to_dict() == {"a": 0.5, "b": 0.0, "c": 0.0, "d": -1.0, "e": 1.0}

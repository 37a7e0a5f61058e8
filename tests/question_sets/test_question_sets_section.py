"""What question sets share with documents, and the section about them."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from ragassay.base import tables
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import FEATURES, OVERLAP
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.studies.scope import controls
from ragassay.studies.scope.votes import IN, OUT, TIE, UNCLEAR
from scripts.question_sets import measure_question_sets
from scripts.question_sets.compute_overlap import compute_overlap
from study import MINILM, document, question


def test_the_control_says_out_of_scope_above_a_half_and_its_margin_runs_from_minus_one_to_one(monkeypatch):
    scores = {"a": 0.75, "b": 0.5, "c": None, "d": 0.0, "e": 1.0}
    monkeypatch.setattr(controls, "overlap_scores", lambda rows, out: [scores[row["name"]] for row in rows])
    questions = pd.DataFrame({"question_id": list("edcba"), "out": [True, False, True, False, True], "text": ""})
    features = pd.DataFrame({"question_id": list("abcde"), "name": list("abcde")})
    answers = measure_question_sets.control(questions, features).set_index("question_id")
    assert answers["label"].to_dict() == {"a": OUT, "b": IN, "c": UNCLEAR, "d": IN, "e": OUT}
    assert answers["margin"].to_dict() == {"a": 0.5, "b": 0.0, "c": 0.0, "d": -1.0, "e": 1.0}


def test_a_judge_is_measured_on_the_questions_on_which_all_its_seeds_have_a_side(caplog):
    """Of eight questions the last was not asked about, one has a tie of one seed, and one was answered both ways."""
    questions = pd.DataFrame(
        {
            "question_id": list("abcdefgh"),
            "doc_id": list("uuvvwwxx"),
            "out": [True, False] * 3 + [True, True],
            "question_type": measure_question_sets.UNTYPED,
        }
    )
    caplog.set_level("INFO", "ragassay")
    labels = (
        {name: [OUT, OUT] for name in "afg"} | {name: [IN, IN] for name in "de"} | {"b": [OUT, IN], "c": [OUT, TIE]}
    )
    margins = {"a": 0.9, "b": 0.2, "c": 0.5, "d": -0.4, "e": -0.1, "f": 0.3, "g": 0.8}
    answers = pd.DataFrame([{"question_id": name, "label": label, "margin": margins[name] + seed / 100}
                            for name, both in labels.items() for seed, label in enumerate(both)])  # fmt: skip
    control = pd.DataFrame({"question_id": list("hgfedcba"), "label": [IN, UNCLEAR, IN, OUT, IN, OUT, IN, IN]})
    keys = {"set": "s", "judge": "j", "truth": "t"}
    rows = measure_question_sets.measured(keys, questions, answers, 0, 0, {measure_question_sets.CONTROL: control})
    rows = list(measure_question_sets.logged(rows))
    assert caplog.messages == ["s, j against t: right on 58.3 % [-, -] of 6, 2 abstained"]
    found = {row["metric"]: (row["value"], row["n"], row["abstained"]) for row in rows if row["table"] == "accuracy"}
    right = {"a": 1, "b": 0.5, "d": 1, "e": 0, "f": 0, "g": 1}
    assert found["accuracy"] == (pytest.approx(np.mean([*right.values()])), 6, 2)
    assert found["right_on_out_of_scope"] == (pytest.approx(2 / 3), 3, 2)
    assert found["right_on_in_scope"] == (pytest.approx(0.5), 3, 0)
    assert (found["asked"][0], found["abstentions"][0]) == (8, 2)
    assert (found["at_least"][0], found["at_most"][0]) == pytest.approx((3.5 / 8, 5.5 / 8))
    area = roc_auc_score([True, False, False, True, False, True], [margins[name] for name in right])
    assert found["auroc"] == (pytest.approx(area), 6, 2)
    theirs = {"a": 0, "b": 1, "d": 1, "e": 1, "f": 1}  # none of g
    assert found["minus_overlap"] == (pytest.approx(np.mean([right[name] - one for name, one in theirs.items()])), 5, 3)
    matrix = {(json.loads(row["keys"])["meant"], row["metric"]): (row["value"], row["n"]) for row in rows
              if row["table"] == "matrix"}  # fmt: skip
    assert matrix == {
        ("out of scope", OUT): (2.5, 5), ("out of scope", IN): (1, 5), ("out of scope", TIE): (0.5, 5),
        ("out of scope", UNCLEAR): (1, 5), ("in scope", OUT): (1.5, 3), ("in scope", IN): (1.5, 3),
        ("in scope", TIE): (0, 3), ("in scope", UNCLEAR): (0, 3),
    }  # fmt: skip


@pytest.fixture
def measured(tmp_path):
    texts = [document("d", "The ferry sails at nine. It carries forty cars."), document("e", "Nobody asks this.")]
    asked = ["When does the ferry sail and how many cars does it carry?", "Which volcano in Peru did Marta climb?"]
    questions = [question("d", number, "in_scope", text) for number, text in enumerate(asked)]
    tables.write(DOCUMENTS, tmp_path / "documents.parquet", texts)
    tables.write(QUESTIONS, tmp_path / "questions.parquet", questions)
    files = [tmp_path / f"{name}.parquet" for name in ("documents", "questions", "overlap")]
    compute_overlap(*files, encoder=MINILM, embeddings=tmp_path / "embeddings")
    return tables.read(OVERLAP, files[-1]).to_pylist()


def test_a_foreign_question_shares_less(measured):
    near, far = measured
    assert all(far[name] >= near[name] for name in FEATURES) and far["missing_words"] == 1
    assert near["cluster_id"].startswith("cluster-")

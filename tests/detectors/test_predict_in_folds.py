"""predict_in_folds: each question is tested once, never with its document or a near-duplicate in the training."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ragassay.base import tables
from ragassay.documents.ids import PARTS
from ragassay.models.heads import learning
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_answers import FOLD_PREDICTIONS
from ragassay.schemas.scope_questions import QUESTIONS
from rows import row
from scripts.detectors.predict_in_folds import FoldsError, predict_in_folds
from study import MINILM

DOCS = 40
OPTIONS = {"appended": None, "layer": -1}
PLACES = ("quay", "glacier", "council", "harbour", "orchard", "lighthouse", "census", "bridge", "tower", "storm")


def text(number):
    """Two and two documents differ in a single word."""
    place = PLACES[number // 2 % len(PLACES)]
    sentence = f"In its {number // 2} years the {place} has cost {number // 2 * 7} marks, which {place} people regret."
    return (
        f"{sentence} Nobody at the {place} number {number // 2} can say why it was built there, nor who wanted it."
        + (" Indeed." if number % 2 else "")
    )


@pytest.fixture
def asked(tmp_path):
    """A set in which a word tells what is out of scope, and one question has no label; the stage on it."""
    documents, questions = [], []
    for number in range(DOCS):
        documents.append(row(DOCUMENTS, doc_id=f"d{number:02}", cluster_id=f"c{number}", text=text(number)))
        for slot, (intended, word) in enumerate([("in_scope", "price"), ("out_of_scope", "zeppelin")]):
            same = {"question_id": f"q{number:02}-{slot}", "doc_id": f"d{number:02}", "slot": slot, "generator": "set"}
            questions.append(row(QUESTIONS, **same, intended=intended, text=f"What was the {word} of it in {number}?"))
    questions.append(row(QUESTIONS, question_id="none", doc_id="d00", slot=9, intended="unlabelled", text="Why?"))

    def predicted(labels=None):
        rows = (
            [one | {"intended": label} for one, label in zip(questions, labels, strict=True)] if labels else questions
        )
        paths = [tmp_path / "documents.parquet", tmp_path / "questions.parquet", tmp_path / "predicted.parquet"]
        tables.write(DOCUMENTS, paths[0], documents)
        tables.write(QUESTIONS, paths[1], rows)
        about = {"detector": "nli", "kind": "sentence_pair", "encoder": MINILM, "options": OPTIONS}
        near = {"similarity": 0.6, "cut_after_words": 300}
        vectors = str(tmp_path / "vectors")
        predict_in_folds(*paths[:2], "no prompt is read", [], paths[2], "mine", [about], vectors, **near)
        return tables.read(FOLD_PREDICTIONS, paths[2]).to_pylist()

    predicted.questions = questions
    return predicted


def area(rows):
    return roc_auc_score([one["question_id"].endswith("-1") for one in rows], [one["score"] for one in rows])


def test_what_was_planted_is_found_and_nothing_where_labels_are_exchanged_at_random(asked):
    rows = asked()
    assert {(one["question_id"], one["head"]) for one in rows} == {
        (one["question_id"], "logistic") for one in asked.questions[:-1]
    }
    assert len(rows) == 2 * DOCS and area(rows) > 0.95
    assert len({one["score"] for one in rows}) > DOCS
    draw = np.random.default_rng(2)
    labels = [*draw.permutation([one["intended"] for one in asked.questions[:-1]]).tolist(), "unlabelled"]
    assert 0.3 < area(asked(labels)) < 0.7


def test_near_duplicates_are_never_in_two_parts_and_each_question_is_tested_once(asked, monkeypatch):
    folds, learn = [], learning.learn
    monkeypatch.setattr(learning, "learn", lambda owner, data, *more: folds.append(data) or learn(owner, data, *more))
    rows = asked()
    pairs = np.arange(2 * DOCS) // 4  # two questions about each of two documents
    for data in folds:
        for pair in np.unique(pairs):
            assert len(set(data.parts[pairs == pair])) == 1 and len(set(data.clusters[pairs == pair])) == 1
    tested = np.sum([data.parts == "test" for data in folds], axis=0)
    assert (tested == 1).all() and len(folds) <= len(PARTS)
    assert {one["fold"] for one in rows} <= set(range(len(PARTS)))


def test_a_second_run_gives_the_same_bytes(asked, tmp_path):
    asked()
    first = (tmp_path / "predicted.parquet").read_bytes()
    asked()
    assert (tmp_path / "predicted.parquet").read_bytes() == first


def test_a_set_that_gives_no_ten_folds_is_refused_before_training(asked, monkeypatch):
    monkeypatch.setattr(learning, "learn", lambda *_: pytest.fail("it is trained"))
    kinds = ["in_scope", "out_of_scope"]
    few = [kinds[at % 2] if at < 2 else "unlabelled" for at in range(len(asked.questions))]
    for labels in (few, ["in_scope"] * len(few), ["unlabelled"] * len(few)):
        with pytest.raises(FoldsError, match=r"question set mine: found too few documents, .*; set detectors: false"):
            asked(labels)

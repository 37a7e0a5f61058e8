"""apply_detector: any questions get a score; those about documents that it was trained on are marked."""

import pytest

from ragassay.base import tables
from ragassay.documents.ids import split_of
from ragassay.models.heads import scores
from ragassay.models.heads.heads_file import HeadsFileError
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_answers import PREDICTIONS
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.studies.scope.detectors import detector
from ragassay.studies.scope.detectors.detector import DetectorError
from ragassay.studies.scope.detectors.kinds import appended_token
from rows import row


def test_every_question_gets_a_row_from_each_head(study):
    settings = study.settings("sentence_pair")
    study.train(settings)
    rows = tables.read(PREDICTIONS, study.apply(settings)).to_pylist()
    assert len(rows) == 60 * 3 and len({row["score"] for row in rows}) > 100
    assert all(0 <= row["probability"] <= 1 and row["out_of_scope"] == (row["score"] > 0) for row in rows)
    parts = {row["doc_id"]: row["part"] for row in rows}
    assert parts == {f"doc-{number:02}": split_of(f"cluster-{number // 2 * 2:02}") for number in range(30)}


def test_other_peoples_questions_are_unseen_unless_their_document_is_a_near_duplicate(study):
    settings = study.settings("similarity")
    study.train(settings)
    texts = {"gold-1": "cluster-gold", "gold-2": "cluster-00"}
    documents = [row(DOCUMENTS, doc_id=name, cluster_id=own, text="Herring.") for name, own in texts.items()]
    questions = [row(QUESTIONS, question_id=f"q-{name}", doc_id=name, text="What?") for name in texts]
    tables.write(DOCUMENTS, study.path("gold_documents.parquet"), documents)
    tables.write(QUESTIONS, study.path("gold_questions.parquet"), questions)
    given = {name: [study.path(f"gold_{name}.parquet")] for name in ("documents", "questions")}
    rows = tables.read(PREDICTIONS, study.apply(settings, **given)).to_pylist()
    assert {row["doc_id"]: row["part"] for row in rows} == {"gold-1": "unseen", "gold-2": split_of("cluster-00")}


def test_a_detector_of_another_model_or_token_is_refused(study, decoder):
    study.train(study.settings("appended_token", decoder))
    with pytest.raises(
        HeadsFileError, match=r"trained on other features: token was '.*' and is now '<\|unused_0\|>'; train"
    ):
        study.apply(study.settings("appended_token", decoder, appended="<|unused_0|>"))


def test_the_same_questions_give_the_same_bytes_whatever_their_order(study):
    settings = study.settings("overlap")
    study.train(settings)
    first = study.apply(settings).read_bytes()
    rows = tables.read(QUESTIONS, study.path("questions.parquet")).to_pylist()
    tables.write(QUESTIONS, study.path("questions.parquet"), reversed(rows))
    assert study.apply(settings).read_bytes() == first


@pytest.mark.parametrize("kind", ["appended_token", "sentence_pair"])
def test_questions_taken_a_few_at_a_time_get_the_same_scores(study, decoder, kind, monkeypatch):
    settings = study.settings(kind, *([decoder] if kind == "appended_token" else []))
    study.train(settings)
    whole = tables.read(PREDICTIONS, study.apply(settings)).to_pylist()
    sizes, own = [], scores.scores
    for module in (detector, appended_token):
        monkeypatch.setattr(module, "ROWS", 7)
    monkeypatch.setattr(scores, "scores", lambda arrays, given: sizes.append(len(given)) or own(arrays, given))
    parts = tables.read(PREDICTIONS, study.apply(settings)).to_pylist()
    assert max(sizes) == 7 and len(parts) == len(whole) == 180
    near = {name: [pytest.approx(one[name], abs=1e-3) for one in whole] for name in ("score", "probability")}
    for name in whole[0]:
        assert [one[name] for one in parts] == near.get(name, [one[name] for one in whole]), name


@pytest.mark.parametrize("kind", ["appended_token", "overlap"])
def test_a_table_without_questions_is_told(study, decoder, kind):
    settings = study.settings(kind, *([decoder] if kind == "appended_token" else []))
    study.train(settings)
    tables.write(QUESTIONS, study.path("questions.parquet"), [])
    with pytest.raises(DetectorError, match=r"questions.parquet: found no question .* of g, expected at least one"):
        study.apply(settings)

"""Detectors asked about new questions, as a stage and as a service."""

import json
import re

import pytest

from ragassay import Detector
from ragassay.base import tables
from ragassay.base.card import signed
from ragassay.base.chance import split_of
from ragassay.models.heads import scores
from ragassay.models.heads.heads_file import HeadsFileError
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_answers import PREDICTIONS
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.studies.scope.detectors import detector
from ragassay.studies.scope.detectors.detector import DetectorError
from ragassay.studies.scope.detectors.kinds import appended_token
from rows import row
from workshop import pages


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
    given = {name: study.path(f"gold_{name}.parquet") for name in ("documents", "questions")}
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
    rows = study.rows(QUESTIONS)
    study.write(QUESTIONS, reversed(rows))
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
def test_a_shard_without_questions_has_no_predictions(study, decoder, kind):
    settings = study.settings(kind, *([decoder] if kind == "appended_token" else []))
    study.train(settings)
    study.write(QUESTIONS, [])
    assert not len(tables.read(PREDICTIONS, study.apply(settings)))


@pytest.mark.parametrize("kind", ["sentence_pair", "appended_token"])
def test_new_questions_get_the_scores_of_the_run(study, decoder, kind):
    settings = study.settings(kind, *([decoder] if kind == "appended_token" else []))
    study.train(settings)
    predicted = {
        (row["question_id"], row["head"], row["seed"]): row
        for row in tables.read(PREDICTIONS, study.apply(settings)).to_pylist()
    }
    questions = study.rows(QUESTIONS)
    texts = {row["doc_id"]: row["text"] for row in study.rows(DOCUMENTS)}
    for head, seed in sorted({key[1:] for key in predicted}):
        detector = Detector.load(study.path("detector"), head, seed, settings["prompt"], study.embeddings)
        verdicts = detector.judge([row["text"] for row in questions], [texts[row["doc_id"]] for row in questions])
        for asked, verdict in zip(questions, verdicts, strict=True):
            expected = predicted[asked["question_id"], head, seed]
            assert verdict.score == pytest.approx(expected["score"], abs=1e-3)
            assert verdict.probability == pytest.approx(expected["probability"], abs=1e-3)
            assert verdict.out_of_scope == (verdict.score > 0)


def test_the_python_of_the_guide_runs_where_detectors_lie(study, monkeypatch, capsys):
    study.train(study.settings("similarity"), "results/detectors/similarity/minilm/authors/careful")
    monkeypatch.chdir(study.folder)
    [program] = pages("detectors")["python"]
    exec(program, {})
    assert re.fullmatch(r"(True|False) 0\.\d+\n", capsys.readouterr().out)


def test_what_cannot_be_used_is_one_line(study, monkeypatch):
    monkeypatch.chdir(study.folder)
    study.train(study.settings("similarity"))
    folder = study.path("detector")
    detector = Detector.load(folder)
    assert detector("Where?", "The ferry lies at the quay.").out_of_scope
    with pytest.raises(DetectorError, match=r"found the head 'mlp.0', expected one of: logistic\.0"):
        Detector.load(folder, "mlp")
    for questions, documents in (("Where?", ["x"]), (["a", "b"], ["x"]), (["a"], [3])):
        with pytest.raises(DetectorError, match=r"^found .*, expected a "):
            detector.judge(questions, documents)
    card = json.loads((folder / "card.json").read_text())
    (folder / "card.json").write_text(json.dumps(signed(card | {"identity": card["identity"] | {"files": "other"}})))
    with pytest.raises(HeadsFileError, match="trained on other features: files was 'other'"):
        Detector.load(folder)
    del card["detector"]
    (folder / "card.json").write_text(json.dumps(signed(card)))
    with pytest.raises(DetectorError, match="found a head without 'detector', so it is damaged; train it again"):
        Detector.load(folder)

"""A detector in a service says what it said in the run, and refuses another model or head."""

import json
import re

import pytest

from project import ROOT
from ragassay import Detector
from ragassay.base import tables
from ragassay.base.card import signed
from ragassay.models.heads.heads_file import HeadsFileError
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_answers import PREDICTIONS
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.studies.scope.detectors.detector import DetectorError


@pytest.mark.parametrize("kind", ["sentence_pair", "appended_token"])
def test_new_questions_get_the_scores_of_the_run(study, decoder, kind):
    settings = study.settings(kind, *([decoder] if kind == "appended_token" else []))
    study.train(settings)
    predicted = {
        (row["question_id"], row["head"], row["seed"]): row
        for row in tables.read(PREDICTIONS, study.apply(settings)).to_pylist()
    }
    questions = tables.read(QUESTIONS, study.path("questions.parquet")).to_pylist()
    texts = {row["doc_id"]: row["text"] for row in tables.read(DOCUMENTS, study.path("documents.parquet")).to_pylist()}
    for head, seed in sorted({key[1:] for key in predicted}):
        detector = Detector.load(study.path("detector"), head, seed, settings["prompt"], study.embeddings)
        verdicts = detector.judge([row["text"] for row in questions], [texts[row["doc_id"]] for row in questions])
        for row, verdict in zip(questions, verdicts, strict=True):
            expected = predicted[row["question_id"], head, seed]
            assert verdict.score == pytest.approx(expected["score"], abs=1e-3)
            assert verdict.probability == pytest.approx(expected["probability"], abs=1e-3)
            assert verdict.out_of_scope == (verdict.score > 0)


def test_the_python_of_the_guide_runs_where_detectors_lie(study, monkeypatch, capsys):
    study.train(study.settings("similarity"), "results/detectors/similarity/minilm/authors/careful")
    monkeypatch.chdir(study.folder)
    [program] = re.findall(r"```python\n(.*?)```", (ROOT / "docs/detectors.md").read_text(), re.DOTALL)
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

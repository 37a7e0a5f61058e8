"""train_detector: heads, a card that says from what, and no document in two parts."""

import shutil

import pytest

from ragassay.base import tables
from ragassay.models.activations.sites import ActivationsError
from ragassay.models.encoders.encoder import Encoder
from ragassay.models.heads.learning import LearningError
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_answers import DETECTOR_DOCUMENTS, DETECTOR_TRAINING, PREDICTIONS
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from ragassay.studies.scope.detectors.detector import DetectorError
from study import MINILM


@pytest.mark.parametrize(
    ("kind", "heads"), [("sentence_pair", 3), ("similarity", 1), ("question_alone", 1), ("overlap", 1)]
)
def test_each_kind_has_its_heads_and_says_how_they_fare(study, kind, heads):
    study.train(study.settings(kind))
    card = study.card()
    assert len(card["heads"]) == heads and card["detector"]["kind"] == kind
    assert sum(card["data"]["questions"].values()) == 60 and card["identity"]["files"]
    assert {"accuracy", "auroc", "log_loss", "expected_error", "n"} <= card["heads"]["logistic.0"]["test"].keys()
    rows = tables.read(DETECTOR_TRAINING, study.path("detector/training.parquet")).to_pylist()
    assert {row["percent"] for row in rows} == {50, 100}
    assert all(sum(row["kept"] for row in rows if _run(row) == run) == 1 for run in set(map(_run, rows)))


@pytest.mark.parametrize(("kind", "told"), [("similarity", 6), ("overlap", 6), ("question_alone", None)])
def test_the_card_tells_how_many_documents_are_not_read_to_their_end(study, kind, told, caplog):
    caplog.set_level("INFO")
    rows = study.rows(DOCUMENTS)
    for row in rows[:6]:
        row["text"] += " And the tower." * 12
    study.write(DOCUMENTS, rows)
    encoder = MINILM | {"options": {"device": "cpu", "max_tokens": 48}}
    study.train(study.settings(kind, encoder))
    cut = study.card()["data"].get("cut")
    assert cut == ({"documents": told, "of": 30, "at_tokens": 48} if told else None)
    assert ("6 of 30 documents are longer than the 48 tokens that are read" in caplog.text) == bool(told)


def test_the_card_tells_the_commit_of_a_model_from_the_cache_of_the_hub(study, tmp_path, monkeypatch):
    commit, source = "0123456789abcdef0123456789abcdef01234567", Encoder(**MINILM).local.folder
    place = tmp_path / "hub/models--some--minilm"
    (place / "refs").mkdir(parents=True)
    (place / "refs/main").write_text(commit)
    shutil.copytree(source, place / "snapshots" / commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    study.train(study.settings("similarity", MINILM | {"model": "some/minilm"}))
    study.train(study.settings("similarity"), "package")
    cards = [study.card(where) for where in ("detector", "package")]
    assert cards[0]["commit"] == commit and "commit" not in cards[1]


def _run(row):
    return row["head"], row["seed"], row["percent"]


@pytest.mark.parametrize("token", ["<|unused_0|>", None])
def test_the_state_of_an_appended_token_makes_a_detector(study, decoder, token):
    settings = study.settings("appended_token", decoder, appended=token)
    study.train(settings)
    card = study.card()
    assert card["identity"]["token"] == (token or "<|end_of_text|>") and card["identity"]["prompt"]
    assert set(card["heads"]) == {"logistic.0", "mlp.0", "mlp.1"}


def test_a_token_that_the_tokenizer_lacks_is_told(study, decoder):
    with pytest.raises(ActivationsError, match=r"has no token '\[control_555\]'.*<\|unused_0\|>"):
        study.train(study.settings("appended_token", decoder, appended="[control_555]"))


@pytest.mark.parametrize("kind", ["appended_token", "sentence_pair"])
def test_without_a_kept_question_it_is_told_what_is_missing(study, decoder, kind):
    study.write(SELECTED_QUESTIONS, [one | {"status": "disputed"} for one in study.rows(SELECTED_QUESTIONS)])
    with pytest.raises(LearningError, match="detector d: found 0 questions of 0 documents in the training part"):
        study.train(study.settings(kind, *([decoder] if kind == "appended_token" else [])))


def test_a_question_in_another_part_than_its_document_is_told(study):
    rows = study.rows(SELECTED_QUESTIONS)
    moved = next(row for row in rows if row["split"] == "test")
    moved["split"] = "train"
    study.write(SELECTED_QUESTIONS, rows)
    name = moved["question_id"]
    with pytest.raises(DetectorError, match=f"selected_questions, shard s: found {name} in the part train, .* test"):
        study.train(study.settings("similarity"))
    assert not study.made()["heads"].exists()
    moved["status"] = "contradicted"
    study.write(SELECTED_QUESTIONS, rows)
    study.train(study.settings("similarity"))  # nothing is trained on it


@pytest.mark.parametrize(
    ("table", "column"), [(DOCUMENTS, "text"), (SELECTED_QUESTIONS, "text"), (SELECTED_QUESTIONS, "intended")]
)
def test_the_card_tells_other_data_by_its_digest(study, table, column):
    settings = study.settings("similarity")
    study.train(settings)
    rows = study.rows(table)
    rows[0][column] = rows[1][column] if column == "intended" else rows[0][column] + " And the tower."
    study.write(table, rows)
    study.train(settings, "other")
    first, other = (study.card(where) for where in ("detector", "other"))
    assert first["data"]["digest"] != other["data"]["digest"]


def test_a_second_training_gives_the_same_bytes_and_computes_no_feature_again(study, decoder, monkeypatch):
    settings = study.settings("appended_token", decoder)
    study.train(settings)
    monkeypatch.setattr("ragassay.models.activations.state_store.Decoder.load", None)  # nothing is loaded
    study.train(settings, "again")
    for name, path in study.made().items():
        assert path.read_bytes() == study.made("again")[name].read_bytes(), name


def test_of_more_questions_than_it_may_have_whole_documents_are_drawn(study, caplog):
    caplog.set_level("INFO")
    settings = study.settings("question_alone")
    made = {}
    for most in (59, 40, 60):
        study.train(settings, str(most), most)
        card = study.card(str(most))
        known = tables.read(DETECTOR_DOCUMENTS, study.made(str(most))["known_documents"])["doc_id"].to_pylist()
        made[most] = set(known), sum(card["data"]["questions"].values()), card["data"].get("drawn_from")
    assert made[60] == (set(tables.read(DOCUMENTS, study.path("documents.parquet"))["doc_id"].to_pylist()), 60, None)
    for most in (59, 40):
        documents, questions, drawn_from = made[most]
        assert 0 < questions == 2 * len(documents) < 60 and drawn_from == 60
    assert made[40][0] < made[59][0] <= made[60][0]
    assert f"{made[40][1]} of 60 questions, those of documents drawn at random" in caplog.text


def test_a_question_that_is_too_long_for_the_model_is_counted_and_costs_itself(study, decoder, caplog):
    caplog.set_level("INFO")
    settings = study.settings("appended_token", decoder, appended="<|unused_0|>")
    lost = study.lengthen(3)
    study.train(settings)
    card = study.card()
    assert card["data"]["too_long"] == 6 and sum(card["data"]["questions"].values()) == 54
    assert "6 of 60 questions are too long for the model, left out" in caplog.text
    rows = tables.read(PREDICTIONS, study.apply(settings)).to_pylist()
    assert len(rows) == 60 * len(card["heads"])
    numbers = ("score", "probability", "out_of_scope")
    for row in rows:
        without = row["doc_id"] in lost
        assert row["reason"] == ("too_long" if without else None)
        assert all((row[name] is None) == without for name in numbers)


def test_a_detector_whose_questions_are_all_too_long_is_told(study, decoder):
    study.lengthen(30)
    with pytest.raises(
        ActivationsError, match=r"found 60 of 60 prompts that are too long, the longest of \d+ tokens for .*512"
    ):
        study.train(study.settings("appended_token", decoder))

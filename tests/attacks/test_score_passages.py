"""Scores of passages by the model that has not read them."""

import json

import numpy as np
import pytest

from ragassay.base import tables
from ragassay.schemas.attacks import POISONED_PASSAGES
from ragassay.schemas.corpora import PASSAGES
from ragassay.schemas.defences import PASSAGE_SCORES
from ragassay.studies.poisoning.defences.scorer import DOCUMENTS, ScorerError, opened
from ragassay.studies.poisoning.defences.scorers.ngram import Kind
from scripts.attacks.score_passages import score_passages

READING = {"way": "even_words", "least": 4, "window": 5}


def poison(folder):
    return tables.read(POISONED_PASSAGES, folder / "poisoned_passages.parquet").to_pylist()


def rows(path):
    return {row["passage_id"]: row for row in tables.read(PASSAGE_SCORES, path).to_pylist()}


def test_each_passage_is_scored_by_the_model_of_the_other_half(scored):
    halves, scorer = json.loads((scored / "scorer" / DOCUMENTS).read_text()), Kind.load(scored / "scorer")
    passages = tables.read(PASSAGES, scored / "passages.parquet").to_pylist()
    found = rows(scored / "clean.parquet")
    for passage in passages[:10]:
        half = halves[passage["document_id"]]
        (other,) = scorer.scored([passage["text"]], [half])
        (own,) = scorer.scored([passage["text"]], [1 - half])
        assert found[passage["passage_id"]]["half"] == half
        assert found[passage["passage_id"]]["whole"] == pytest.approx(other.values.mean(), abs=1e-6)
        assert own.values.mean() < other.values.mean(), "what was read is less surprising"


def test_what_was_made_from_a_passage_belongs_to_its_half(scored):
    clean, poison = rows(scored / "clean.parquet"), rows(scored / "poison.parquet")
    assert poison["poison-0"]["half"] == clean["p00"]["half"]
    assert abs(poison["poison-0"]["whole"] - clean["p00"]["whole"]) < 2
    assert poison["poison-1"]["whole"] > clean["p00"]["whole"] + 2


def test_a_text_that_was_read_under_another_name_belongs_to_the_half_that_read_it(scored, tmp_path):
    passages = tables.read(PASSAGES, scored / "passages.parquet").to_pylist()
    tables.write(
        PASSAGES, tmp_path / "p.parquet", [one | {"document_id": f"new {one['document_id']}"} for one in passages]
    )
    inputs = ([tmp_path / "p.parquet"], scored / "poisoned_passages.parquet", [scored / "scorer"])
    score_passages(*inputs, tmp_path / "scores.parquet", True, "ngram", "ngram", {}, READING)
    assert rows(tmp_path / "scores.parquet") == rows(scored / "clean.parquet")


def test_a_text_that_nobody_knows_is_scored_in_a_service_as_here(scored):
    scorer = Kind.load(scored / "scorer")
    texts = {one["passage_id"]: one["text"] for one in poison(scored)}
    assert scorer.half(texts["poison-1"]) == rows(scored / "poison.parquet")["poison-1"]["half"]


def test_a_passage_of_one_word_is_not_split_and_an_empty_one_has_no_score(scored):
    found = rows(scored / "clean.parquet")
    alone, empty = found["p58"], found["p59"]
    assert alone["is_short"] and alone["tokens"] == 1
    assert alone["whole"] == alone["pre"] == alone["post"] == alone["post_given_pre"] == alone["window"]
    assert empty["tokens"] == 0 and empty["whole"] is None and empty["pre"] is None
    assert not found["p00"]["is_short"] and found["p00"]["pre"] != found["p00"]["post"]


def test_chunks_behind_each_other_make_the_whole(scored):
    row, first = rows(scored / "clean.parquet")["p02"], 10  # of 20 words and a full stop
    whole = (row["pre"] * first + row["post_given_pre"] * (row["tokens"] - first)) / row["tokens"]
    assert row["tokens"] == 21 and row["whole"] == pytest.approx(whole, abs=1e-6)
    assert row["window"] > row["whole"] and np.isfinite(row["post"])


def test_a_damaged_scorer_is_told(tmp_path):
    (tmp_path / "words.json").write_text("[[], []]")
    (tmp_path / "ngrams.safetensors").write_bytes(b"nothing")
    with pytest.raises(ScorerError, match=r"cannot read it .*; train the scorer again"):
        opened("ngram", "ngram", {}, tmp_path)

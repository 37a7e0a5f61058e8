"""Hardness of questions: similarities, and strata by them."""

import pytest

from ragassay.base import tables
from ragassay.base.tables import REJECTS
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS, HARDNESS_SCORES, HARDNESS_STRATA
from ragassay.schemas.relevance import DRIFT
from ragassay.schemas.scope_questions import CLAIMS, QUESTIONS, RECOVERED_CLAIMS, SELECTED_QUESTIONS
from rows import row, written
from scripts.hardness import grade_hardness as grading
from scripts.hardness.compute_hardness import compute_hardness
from scripts.hardness.grade_hardness import grade_hardness
from study import MINILM

TEXT = "The ferry Sallow Star costs 57 million marks. It was built in Brackwater by Ana Lindqvast in June."
CLAIM = "The ferry Sallow Star costs 57 million marks."
OTHER = "It was built in Brackwater by Ana Lindqvast in June."
NOVEL = "The ferry Sallow Star was paid by the Tolven council."
ASKED = {
    "near": ("out_of_scope", "Which council paid for the ferry Sallow Star?", "recovered-21"),
    "far": ("out_of_scope", "How do bees make honey in winter?", "recovered-22"),
    "in": ("in_scope", "How many million marks does the ferry Sallow Star cost?", None),
}


@pytest.fixture
def measured(tmp_path):
    """A function that measures and returns the rows by question, and the rejects."""

    def measure():
        tables.write(DOCUMENTS, tmp_path / "documents", [row(DOCUMENTS, doc_id="doc-1", text=TEXT)])
        claims = [row(CLAIMS, doc_id="doc-1", slot=n, text=text) for n, text in ((1, CLAIM), (2, OTHER))]
        tables.write(CLAIMS, tmp_path / "claims", claims)
        guesses = [(1, 1, "Nothing of the kind."), (2, 1, NOVEL), (2, 2, "Honey is made by bees.")]
        rows = [
            row(RECOVERED_CLAIMS, doc_id="doc-1", round=turn, slot=n, recovered_id=f"recovered-{turn}{n}", text=text)
            for turn, n, text in guesses
        ]
        tables.write(RECOVERED_CLAIMS, tmp_path / "recovered_claims", rows)
        questions = [
            {"question_id": name, "doc_id": "doc-1", "slot": n, "intended": kind, "text": text, "recovered_id": claim}
            for n, (name, (kind, text, claim)) in enumerate(ASKED.items())
        ]
        questions.append({"question_id": "lost", "doc_id": "doc-2", "intended": "in_scope", "text": "What?"})
        tables.write(QUESTIONS, tmp_path / "questions", [row(QUESTIONS, shard="s", **one) for one in questions])
        names = "documents claims recovered_claims questions hardness drift rejects".split()
        paths = {name: tmp_path / name for name in names}
        compute_hardness(**paths, encoder=MINILM, embeddings=str(tmp_path / "embeddings"), limits=[0.3, 0.6])
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


def test_guesses_are_measured_round_by_round(measured, tmp_path):
    measured()
    found = {row["recovered_id"]: row for row in tables.read(DRIFT, tmp_path / "drift").to_pylist()}
    first, second = found["recovered-11"], found["recovered-21"]
    assert len(found) == 3 and second["to_original"] > 0.5 > first["to_original"] == first["to_previous"]
    assert second["to_previous"] < second["to_original"] <= second["to_nearest"] < 1


def test_a_second_run_gives_the_same_bytes(measured, tmp_path):
    measured()
    first = (tmp_path / "hardness").read_bytes()
    measured()
    assert (tmp_path / "hardness").read_bytes() == first
    assert len(list((tmp_path / "embeddings").rglob("*.parquet"))) == 1


WORDS = ["harbour", "council", "tram", "museum", "bridge", "roof", "ferry"]


def shard_rows(shard, given_away=False):
    """Shared words give away the far questions of a shard but not the near ones; some were not kept."""
    hardness, selected = [], []
    for number in range(240):
        out, near = number % 2 == 1, number % 4 > 1
        values = {"question_id": f"{shard}{number:03}", "doc_id": f"doc-{shard}{number // 8}", "shard": shard}
        values["intended"] = "out_of_scope" if out else "in_scope"
        share = (number * 7919 % 97) / 97 * 0.4 + (0.5 if out and not near else 0.0)
        name = "from 0.50" if near else "below 0.50"
        asks = "Why was it that the" if out and given_away else "When did the"
        text = f"{asks} {WORDS[number * 31 % 7]} and the {WORDS[number * 17 // 3 % 7]} open again?"
        cluster = f"cluster-{values['doc_id']}"
        hardness.append(row(HARDNESS, **values, cluster_id=cluster, stratum=name, missing_words=share))
        status = "disputed" if number < 8 else "kept"
        selected.append(row(SELECTED_QUESTIONS, **values, slot=number, status=status, text=text))
    return hardness, selected


@pytest.fixture
def graded(tmp_path):
    """The tables of these shards, graded; `b` has questions that begin otherwise if they are out of scope."""

    def run(shards, **settings):
        paths = {"hardness": [], "selected_questions": []}
        for shard in shards:
            for files, table, rows in zip(
                paths.values(), (HARDNESS, SELECTED_QUESTIONS), shard_rows(shard, shard == "b"), strict=True
            ):
                files.append(written(tmp_path, table, rows, shard=shard))
        made = {"hardness_scores": tmp_path / "scores", "hardness_strata": tmp_path / "strata"}
        grade_hardness(**paths, **made, limits=[0.5], fewest_per_stratum=20, resamples=50, seed=0, **settings)
        read = {"scores": HARDNESS_SCORES, "strata": HARDNESS_STRATA}
        return {name: tables.read(table, tmp_path / name).to_pylist() for name, table in read.items()}

    return run


def test_only_the_near_stratum_is_hard(graded):
    far, near, everything = graded("ac")["strata"]
    assert (far["grade"], near["grade"]) == ("easy", "hard") and far["auroc"] > 0.95 > 0.75 > near["auroc_high"]
    assert everything["n_hard"] == near["n_out_of_scope"] == 116 and everything["share"] == 0.5


def test_no_stratum_is_hard_where_wording_gives_the_kinds_away(graded):
    _, near, everything = graded("b")["strata"]
    assert near["auroc_high"] <= 0.75 < near["question_alone_low"] and near["grade"] == "easy"
    assert everything["n_hard"] == 0


def test_each_kept_question_has_scores_of_fits_on_other_documents(graded):
    scores = graded("ac")["scores"]
    assert len(scores) == 464 and all(row["score"] is not None and row["wording"] is not None for row in scores)
    assert {row["stratum"] for row in scores if row["hard"]} == {"from 0.50"}
    folds = {}
    for question in scores:
        assert folds.setdefault(question["doc_id"], question["fold"]) == question["fold"]
    assert len(set(folds.values())) == 5


def test_a_later_month_changes_no_grade_of_a_release(graded):
    before, after, moved = graded("a"), graded("ab", graded_on=["a"]), graded("ab")
    assert after["strata"] == before["strata"] != moved["strata"]
    assert [row for row in after["scores"] if row["shard"] == "a"] == before["scores"]
    new = [row for row in after["scores"] if row["shard"] == "b"]
    assert len(new) == 232 and all(row["hard"] == (row["stratum"] == "from 0.50") for row in new)


@pytest.mark.parametrize("settings", [{}, {"graded_on": ["a", "c"]}])
def test_shards_that_are_read_together_get_what_each_alone_gets(graded, monkeypatch, settings):
    together = graded("abc", **settings)
    monkeypatch.setattr(grading, "_parts", lambda graded, shards: [(shards[name], graded[name]) for name in shards])
    assert graded("abc", **settings) == together


def test_many_questions_are_read_one_shard_at_a_time(graded, monkeypatch):
    read, kept = [], grading.kept
    monkeypatch.setattr(grading, "kept", lambda files: (read.append(len(files[HARDNESS])), kept(files))[1])
    graded("abc")
    assert set(read) == {3, 0}
    read.clear()
    monkeypatch.setattr(grading, "SAMPLE", 600)
    graded("abc")
    assert read == [1] * 9

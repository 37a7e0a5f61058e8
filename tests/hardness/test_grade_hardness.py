"""Strata of nearness: which are hard for the overlap control."""

import pytest

from ragassay.base import tables
from ragassay.schemas.hardness import HARDNESS, HARDNESS_SCORES, HARDNESS_STRATA
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from rows import row
from scripts.hardness.grade_hardness import grade_hardness

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
            for (name, files), table, rows in zip(
                paths.items(), (HARDNESS, SELECTED_QUESTIONS), shard_rows(shard, shard == "b"), strict=True
            ):
                files.append(tmp_path / f"{name}-{shard}")
                tables.write(table, files[-1], rows)
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

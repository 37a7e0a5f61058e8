"""Strata of nearness: which are hard for the overlap control."""

import pytest

from ragassay import tables
from ragassay.schemas.hardness import HARDNESS
from ragassay.schemas.hardness_scores import HARDNESS_SCORES
from ragassay.schemas.hardness_strata import HARDNESS_STRATA
from ragassay.schemas.selected_questions import SELECTED_QUESTIONS
from rows import row
from scripts.hardness.grade_hardness import grade_hardness


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
            hardness.append(
                row(HARDNESS, **values, cluster_id=f"cluster-{values['doc_id']}", stratum=name, missing_words=share)
            )
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

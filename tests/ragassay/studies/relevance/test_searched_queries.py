"""Neighbours as arrays, parts that follow from keys alone."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from ragassay.base import tables
from ragassay.schemas.corpora import NEIGHBOURS
from ragassay.studies.relevance import searched_queries, trials
from ragassay.studies.relevance.searched_queries import SimilarityError
from rows import row

PASSAGES = pa.array(["a", "b", "c", "d"])
FOUND = {"q1": [("c", 0.9), ("a", 0.5), ("d", 0.1)], "q3": [("b", 0.4)], "other": [("d", 1.0)]}


@pytest.fixture
def found(tmp_path):
    rows = [
        row(NEIGHBOURS, query_id=query, rank=rank, passage_id=passage, score=score)
        for query, own in FOUND.items()
        for rank, (passage, score) in enumerate(own, 1)
    ]
    tables.write(NEIGHBOURS, tmp_path / "n.parquet", rows)
    return searched_queries.read_neighbours(tmp_path / "n.parquet", ["q3", "q2", "q1"], PASSAGES)


def test_what_is_not_found_has_the_score_zero(found):
    np.testing.assert_array_equal(found.passages, [[1, -1, -1], [-1, -1, -1], [2, 0, 3]])
    np.testing.assert_array_equal(
        searched_queries.nearest(found, 4, 4, "x"), [[0.4, 0, 0, 0], [0, 0, 0, 0], [0.9, 0.5, 0.1, 0]]
    )
    assert searched_queries.nearest(found, 2, 4, "x").shape == (3, 2)


def test_own_documents_are_as_if_they_were_not_in_the_corpus(found):
    clusters = np.array([0, 1, 0, 3])  # a and c are nearly the same
    left = searched_queries.without_own(found, clusters, [[], [], [0]], 1, "x")
    np.testing.assert_array_equal(searched_queries.nearest(left, 2, 4, "x"), [[0.4, 0], [0, 0], [0.1, 0]])
    np.testing.assert_array_equal(left.passages[2], [3, -1, -1])
    gone = searched_queries.without_own(found, clusters, [[1], [2], []], 1, "x")
    np.testing.assert_array_equal(gone.scores, [[0, 0, 0], [0, 0, 0], [0.9, 0.5, 0.1]])


def test_a_query_has_recalled_its_document_if_one_of_its_passages_is_among_the_first(found):
    corpus = SimpleNamespace(clusters=np.array([0, 1, 0, 3]))
    queries = searched_queries.SearchedQueries(
        "s", np.array(list("xyz")), np.array(list("xyz")), [], {"r": found}, corpus
    )
    for documents, k, expected in (
        ([[1], [1], [3]], 3, [1, 0, 1]), ([[1], [1], [3]], 2, [1, 0, 0]), ([[], [0], [1, 0]], 1, [np.nan, 0, 1]),
    ):  # fmt: skip
        np.testing.assert_array_equal(queries._replace(documents=documents).recall("r", k), expected)
    assert found.found.tolist() == [1, 0, 3]
    first = searched_queries.Similarities(np.array([[0.9]]), np.array([[0]]))
    assert queries._replace(documents=[[0]], neighbours={"r": first}).recall("r", 1) == [1], "the first passage counts"


def test_too_little_is_one_line(found, tmp_path):
    with pytest.raises(SimilarityError, match=r"^x: found 4 passages, expected at least k = 5"):
        searched_queries.nearest(found, 5, 4, "x")
    with pytest.raises(SimilarityError, match=r"^x: found 1 neighbours beside .* expected relevance.k = 2"):
        searched_queries.without_own(found, np.array([0, 1, 0, 3, 4, 5]), [[], [], [0]], 2, "x")
    bad = searched_queries.Similarities(np.array([[np.nan]]), np.array([[0]]))
    with pytest.raises(SimilarityError, match="no finite number"):
        searched_queries.nearest(bad, 1, 4, "x")
    with pytest.raises(SimilarityError, match="found the passage 'c', which the corpus does not have"):
        searched_queries.read_neighbours(tmp_path / "n.parquet", ["q1"], pa.array(["a", "d"]))


KEYS = [f"document {number}" for number in range(6000)]


def test_a_key_keeps_its_part_whatever_else_is_there():
    few, many = KEYS[:50], KEYS[::-1]
    for function in (searched_queries.fits, lambda keys: trials.calibrates(keys, 3)):
        assert (
            dict(zip(few, function(few), strict=True)).items() <= dict(zip(many, function(many), strict=True)).items()
        )
    numbers = searched_queries.fractions("a", ["x", "y"])
    assert numbers.tolist() == searched_queries.fractions("a", ["y", "x"])[::-1].tolist()
    assert ((numbers >= 0) & (numbers < 1)).all()


def test_parts_have_their_sizes_and_runs_divide_anew():
    fits, runs = searched_queries.fits(KEYS), [trials.calibrates(KEYS, run) for run in range(3)]
    assert fits.mean() == pytest.approx(1 / 3, abs=0.02)
    for one in runs:
        assert one.mean() == pytest.approx(1 / 2, abs=0.02) and one[fits].mean() == pytest.approx(1 / 2, abs=0.04)
    assert (runs[0] == runs[1]).mean() == pytest.approx(1 / 2, abs=0.02)
    held_out = searched_queries.fractions("held out", KEYS) < 0.5
    assert held_out[fits].mean() == pytest.approx(1 / 2, abs=0.04)


def test_two_queries_out_of_knowledge_are_enough_and_fit_nothing():
    """Whatever part their documents are in."""
    known, two, one = (SimpleNamespace(name="x", ids=KEYS[:size], keys=np.array(KEYS[:size])) for size in (60, 2, 1))
    trial = trials.Trial(known, two, "far", 5, 30)
    np.testing.assert_array_equal(trial.fitting, [*searched_queries.fits(KEYS[:60]), False, False])
    assert (trial.tested.sum(axis=0) == 4).all() and trial.tested[60:].all()
    assert not (trial.calibrating & trial.tested).any() and not trial.calibrating[trial.fitting].any()
    with pytest.raises(trials.TrialError, match="query set x: found 1 queries, expected at least 2"):
        trials.Trial(known, one, "far", 5, 30)


def test_a_sample_takes_candidates_only():
    candidates = np.arange(100) % 2 == 0
    chosen = trials.sample(candidates, 20, 0, KEYS[:100])
    assert chosen.sum() == 20 and not chosen[~candidates].any()
    assert (trials.sample(candidates, 99, 0, KEYS[:100]) == candidates).all()
    assert (chosen != trials.sample(candidates, 20, 1, KEYS[:100])).any()


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"passage_id": "a", "relevant": None, "grades": None}, ["a"]),
        ({"passage_id": None, "relevant": ["b", "c"], "grades": None}, ["b", "c"]),
        ({"passage_id": "a", "relevant": ["b", "c", "d"], "grades": [1, 0, 2]}, ["a", "b", "d"]),
    ],
)
def test_a_query_is_about_its_passage_and_what_was_judged_above_zero(query, names):
    assert searched_queries.named(query) == names

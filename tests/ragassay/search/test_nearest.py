"""Exact neighbours: the same as sorting everything, however the passages come, ties by id, in little memory."""

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.base.errors import AssayError
from ragassay.search.nearest import STEP, best_of_sparse, nearest


def sorted_whole(queries, passages, count):
    """All scores sorted, by score in steps and position."""
    steps = np.rint((queries.astype(float) @ passages.astype(float).T) / STEP)
    order = np.argsort(-steps, axis=1, kind="stable")[:, :count]
    return order, np.take_along_axis(steps, order, axis=1) * STEP


def blocks(passages, cuts):
    yield from np.split(passages, sorted(cuts))


@settings(max_examples=40)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 600),
    st.integers(1, 40),
    st.integers(1, 1500),
    st.lists(st.integers(0, 1500), max_size=5),
    st.sampled_from([2, 40]),
)
def test_they_are_those_of_sorting_everything_whatever_the_blocks(seed, queries, count, passages, cuts, values):
    draw = np.random.default_rng(seed)  # few values make many ties; products of whole numbers are exact
    asked = draw.integers(-values, values + 1, (queries, 3)).astype(np.float32)
    given = draw.integers(-values, values + 1, (passages, 3)).astype(np.float32)
    positions, scores = nearest(asked, blocks(given, [min(cut, passages) for cut in cuts]), count)
    expected, of = sorted_whole(asked, given, count)
    assert (positions == expected).all() and np.allclose(scores, of)


def test_real_vectors_give_the_same_neighbours_however_they_are_cut():
    draw = np.random.default_rng(1)
    asked, given = (draw.standard_normal((size, 64)).astype(np.float32) for size in (300, 5000))
    asked, given = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (asked, given))
    given[4000:4100] = given[:100]
    whole = nearest(asked, [given], 100)
    cut = nearest(asked, np.array_split(given, 7), 100)
    expected, _ = sorted_whole(asked, given, 100)
    assert (whole[0] == cut[0]).mean() > 0.999 and (whole[0] == expected).mean() > 0.999
    assert np.abs(whole[1] - cut[1]).max() <= 1.01 * STEP


@pytest.mark.parametrize("score", [np.nan, np.inf, 1e6])
def test_a_score_that_cannot_be_is_refused(score):
    with pytest.raises(AssayError, match="no number or beyond 10737"):
        nearest(np.full((1, 1), score), [np.ones((3, 1))], 5)


def test_nothing_is_near_to_nothing():
    assert nearest(np.empty((0, 4)), [np.ones((3, 4))], 5)[0].shape == (0, 3)
    assert nearest(np.ones((2, 4)), [], 5)[0].shape == (2, 0)


def test_of_many_sparse_scores_the_same_as_a_plain_sort_by_steps_and_positions():
    draw = np.random.default_rng(4)
    dense = np.where(draw.random((20, 400)) < 0.6, np.round(draw.normal(5, 2, (20, 400)), 1), 0)
    dense[0], dense[1, 3:] = 0, 0  # a query that finds nothing, and one that finds less than it could
    scores = sparse.csr_matrix(dense, dtype=np.float32)
    for row, (positions, best) in zip(scores, best_of_sparse(scores, 50), strict=True):
        expected = sorted(zip(-np.rint(row.data.astype(float) / STEP), row.indices, strict=True))[:50]
        assert positions.tolist() == [position for _, position in expected]
        assert best == pytest.approx([-step * STEP for step, _ in expected], abs=1e-9)


@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf, 1e6])
def test_a_sparse_score_that_cannot_be_is_refused_however_many_there_are(score):
    scores = sparse.csr_matrix(np.array([[1.0, 2.0, score, 3.0]], np.float32))
    for count in (2, 9):
        with pytest.raises(AssayError, match="no number or beyond 10737"):
            list(best_of_sparse(scores, count))

"""Packing: every prompt once, whole, within the budget, and as much shared as there is."""

from hypothesis import given
from hypothesis import strategies as st

from ragassay.models.activations.states import PADDING, pieces, rows

TOKENS = st.lists(st.integers(1, 3), min_size=1, max_size=12)


@given(st.lists(TOKENS, min_size=1, max_size=8), st.lists(st.integers(1, 3), max_size=6), st.integers(1, 40))
def test_rows_hold_every_prompt_once(tails, document, budget):
    prompts = [document + tail for tail in tails]
    group = list(range(len(prompts)))
    found = rows(prompts, group, budget)
    assert sorted(number for row in found for number in row.prompts) == group
    for row in found:
        assert [row.beginning + piece for piece in row.pieces] == [prompts[number] for number in row.prompts]
        assert all(row.pieces) and (len(row.pieces) == 1 or len(row) <= max(budget, 2 * len(row.beginning)))


def test_places_are_counted_from_the_end_of_the_beginning():
    (row,) = rows([[1, 2, 3, 4], [1, 2, 5]], [0, 1], 100)
    assert row.beginning == [1, 2] and row.pieces == [[3, 4], [5]]
    assert [row.places(position) for position in (0, 2, -1, -2)] == [[-2, -2], [0, 2], [1, 2], [0, -1]]


def test_pieces_lie_side_by_side_and_count_on_from_their_beginning():
    packed = [*rows([[1, 2, 3, 4], [1, 2, 5]], [0, 1], 100), *rows([[7]], [0], 100)]
    tokens, positions, owners = pieces(packed, 9)
    assert tokens.tolist() == [[3, 4, 5], [7, 9, 9]]
    assert positions.tolist() == [[2, 3, 2], [0, 0, 0]]
    assert owners.tolist() == [[0, 0, 1], [0, PADDING, PADDING]]


def test_a_prompt_that_others_begin_with_keeps_a_token_of_its_own():
    (row,) = rows([[1, 2], [1, 2, 3], [1, 2]], [0, 1, 2], 100)
    assert row.beginning == [1] and row.pieces == [[2], [2, 3], [2]]

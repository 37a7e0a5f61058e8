"""Batches: every text once, never above the budget, little padding."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragassay.models.batches import batches, padded


@given(st.lists(st.integers(0, 300), max_size=80), st.integers(1, 600))
def test_every_text_is_in_one_batch_within_the_budget(lengths, budget):
    found = list(batches(lengths, budget))
    assert sorted(position for batch in found for position in batch) == list(range(len(lengths)))
    for batch in found:
        assert len(batch) == 1 or len(batch) * max(lengths[position] for position in batch) <= budget


def test_texts_of_like_length_are_together():
    assert list(batches([3, 9, 3, 9, 3], 18)) == [[1, 3], [0, 2, 4]]


def test_padding_is_marked():
    tokens, mask = padded([np.array([5, 6]), np.array([7])], 9)
    assert tokens.tolist() == [[5, 6], [7, 9]] and mask.tolist() == [[1, 1], [1, 0]]


def test_enough_tokens_are_not_padded_for_a_shorter_text():
    assert list(batches([32, 31, 16, 16], 1000, 64)) == [[0, 1], [2, 3]]
    assert list(batches([32, 31, 16, 16], 1000, 100)) == [[0, 1, 2, 3]]

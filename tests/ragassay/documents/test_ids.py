"""The part of a data set follows from the key alone, and parts have their shares."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.documents.ids import PARTS, split_of


def test_parts_have_their_shares():
    found = Counter(split_of(f"cluster-{number:016x}") for number in range(20_000))
    shares = {part: count / 20_000 for part, count in found.items()}
    assert shares == pytest.approx({"train": 0.8, "validation": 0.1, "test": 0.1}, abs=0.01)


@pytest.mark.parametrize(
    ("key", "part"),
    [("cluster-0", "train"), ("cluster-5", "validation"), ("cluster-14", "test"), ("élan", "train"), ("", "test")],
)
def test_a_published_split_never_moves(key, part):
    assert split_of(key) == part


@given(st.text())
def test_over_ten_folds_a_key_is_tested_once(key):
    parts = Counter(split_of(key, fold) for fold in range(len(PARTS)))
    assert parts == {"train": 8, "validation": 1, "test": 1}
    assert split_of(key, len(PARTS)) == split_of(key)

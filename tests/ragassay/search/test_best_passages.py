"""The best passages of each query with their texts."""

import pytest

from ragassay.base import tables
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES
from ragassay.search.best_passages import PassageError, best_passages
from rows import row


@pytest.fixture
def paths(tmp_path):
    passages = [row(PASSAGES, passage_id=name, text=f"text of {name}") for name in "abcd"]
    tables.write(PASSAGES, tmp_path / "passages.parquet", passages)
    found = [("one", 1, "c"), ("one", 2, "a"), ("one", 3, "b"), ("two", 1, "a")]
    rows = [row(NEIGHBOURS, query_id=query, rank=rank, passage_id=name) for query, rank, name in reversed(found)]
    tables.write(NEIGHBOURS, tmp_path / "neighbours.parquet", rows)
    return tmp_path / "passages.parquet", tmp_path / "neighbours.parquet"


def test_as_many_as_are_wanted_stand_in_their_order(paths):
    found = best_passages(*paths, 2)
    assert {query: list(own.items()) for query, own in found.items()} == {
        "one": [("c", "text of c"), ("a", "text of a")],
        "two": [("a", "text of a")],
    }
    assert list(best_passages(*paths, 9)["one"]) == ["c", "a", "b"] and "three" not in found


def test_a_passage_that_the_corpus_lacks_is_named(paths):
    passages, neighbours = paths
    tables.write(PASSAGES, passages, [row(PASSAGES, passage_id="a")])
    with pytest.raises(PassageError, match=r"neighbours.parquet: found the passage 'c', which .* does not have"):
        best_passages(passages, neighbours, 1)

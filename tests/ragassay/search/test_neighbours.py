"""Neighbours of several corpora in one ranking."""

import random

import pyarrow as pa
import pytest

import rows as build
from ragassay.base import tables
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES
from ragassay.search.neighbours import PassageError, best_passages, merged


def table(*rows):
    return pa.Table.from_pylist(
        [dict(zip(NEIGHBOURS.schema.names, row, strict=True)) for row in rows], schema=NEIGHBOURS.schema
    )


def test_the_best_of_all_corpora_with_new_ranks_and_equals_by_id():
    clean = table(("a", 1, "c1", 0.9), ("a", 2, "c2", 0.5), ("b", 1, "c1", 0.1))
    poisoned = table(("a", 1, "p1", 0.9), ("a", 2, "b0", 0.5), ("c", 1, "p1", 0.3))
    found = [tuple(row.values()) for row in merged([clean, poisoned], 3).to_pylist()]
    assert found == [
        ("a", 1, "c1", 0.9),
        ("a", 2, "p1", 0.9),
        ("a", 3, "b0", 0.5),
        ("b", 1, "c1", 0.1),
        ("c", 1, "p1", 0.3),
    ]
    assert merged([clean], 1).to_pylist() == table(("a", 1, "c1", 0.9), ("b", 1, "c1", 0.1)).to_pylist()
    assert merged([table()], 1).num_rows == 0


def test_it_is_the_order_of_a_plain_sort_whatever_is_equal():
    dice = random.Random(0)
    for corpora in (1, 2, 3):
        rows, rankings = [], []
        for corpus in range(corpora):
            own = [
                (query, dice.choice((-0.1, 0.0, 0.00001, 0.2, 12.5)), f"{dice.choice('apz')}{corpus}-{number}")
                for query in dice.sample(["q1", "q10", "q2", "Q", "\u00e9"], 4)
                for number in range(12)
            ]
            own.sort(key=lambda row: (row[0].encode(), -row[1], row[2]))
            ranked = [(query, at % 12 + 1, name, score) for at, (query, score, name) in enumerate(own)]
            rankings.append(table(*ranked))
            rows += ranked
        rows.sort(key=lambda row: (row[0].encode(), -row[3], row[2]))
        found = [(row["query_id"], row["passage_id"], row["score"]) for row in merged(rankings, 7).to_pylist()]
        for query in {row[0] for row in rows}:
            wanted = [(name, score) for owner, _, name, score in rows if owner == query][:7]
            assert [(name, score) for owner, name, score in found if owner == query] == wanted
        assert [query for query, *_ in found] == sorted((query for query, *_ in found), key=str.encode)


@pytest.fixture
def paths(tmp_path):
    passages = [build.row(PASSAGES, passage_id=name, text=f"text of {name}") for name in "abcd"]
    tables.write(PASSAGES, tmp_path / "passages.parquet", passages)
    found = [("one", 1, "c"), ("one", 2, "a"), ("one", 3, "b"), ("two", 1, "a")]
    rows = [build.row(NEIGHBOURS, query_id=query, rank=rank, passage_id=name) for query, rank, name in reversed(found)]
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
    tables.write(PASSAGES, passages, [build.row(PASSAGES, passage_id="a")])
    with pytest.raises(PassageError, match=r"neighbours.parquet: found the passage 'c', which .* does not have"):
        best_passages(passages, neighbours, 1)

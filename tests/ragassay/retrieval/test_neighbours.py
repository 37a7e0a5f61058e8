"""Neighbours of several corpora in one ranking."""

import pyarrow as pa

from ragassay.retrieval.neighbours import merged
from ragassay.schemas.neighbours import NEIGHBOURS


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

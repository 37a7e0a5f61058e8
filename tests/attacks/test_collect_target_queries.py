"""Targets' questions are queries."""

from ragassay import tables
from ragassay.schemas.queries import QUERIES


def test_each_target_is_a_query_with_its_right_answers_and_document(files):
    rows = {row["query_id"]: row for row in tables.read(QUERIES, files("queries")).to_pylist()}
    assert set(rows) == {"bridge", "ferry"}
    own = rows["bridge"]
    assert (own["text"], own["passage_id"], own["answers"]) == ("What fell in the storm", "p2", ["a bridge", "bridge"])

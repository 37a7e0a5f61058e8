"""Targets' questions are queries."""

from ragassay.base import tables
from ragassay.schemas.corpora import QUERIES
from scripts.targets.collect_target_queries import collect_target_queries
from targets import write_targets


def test_each_target_is_a_query_with_its_right_answers_and_document(tmp_path):
    collect_target_queries(write_targets(tmp_path / "targets.parquet"), tmp_path / "queries.parquet")
    rows = {row["query_id"]: row for row in tables.read(QUERIES, tmp_path / "queries.parquet").to_pylist()}
    assert set(rows) == {"bridge", "ferry"}
    own = rows["bridge"]
    assert (own["text"], own["passage_id"], own["answers"]) == ("What fell in the storm", "p2", ["a bridge", "bridge"])

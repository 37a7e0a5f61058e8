"""read_queries: a user's queries with what they are about, where that is known."""

from ragassay import tables
from ragassay.schemas.queries import QUERIES
from scripts.retrieval.read_queries import read_queries


def test_queries_in_a_file(tmp_path):
    (tmp_path / "q.jsonl").write_text(
        '{"id": 7, "text": "What?", "topic": "food"}\n{"id": 8, "text": "Who?", "pid": 3}\n'
    )
    columns = {"id": "id", "text": "text", "kind": "topic", "passage_id": "pid"}
    read_queries([str(tmp_path / "q.jsonl")], tmp_path / "queries.parquet", columns)
    assert tables.read(QUERIES, tmp_path / "queries.parquet").to_pylist() == [
        {"query_id": "7", "text": "What?", "kind": "food", "passage_id": None},
        {"query_id": "8", "text": "Who?", "kind": None, "passage_id": "3"},
    ]

"""collect_queries: kept questions, each with its document."""

from ragassay.base import tables
from ragassay.schemas.corpora import QUERIES
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from rows import row
from scripts.queries.collect_queries import collect_queries


def test_kept_questions_are_queries(tmp_path):
    status = ["kept", "disputed", "undecided", "kept"]
    rows = [
        row(SELECTED_QUESTIONS, question_id=f"q{at}", doc_id="d", slot=at, text="?", intended="in_scope", status=own)
        for at, own in enumerate(status)
    ]
    tables.write(SELECTED_QUESTIONS, tmp_path / "s.parquet", rows)
    collect_queries([tmp_path / "s.parquet"], tmp_path / "queries.parquet")
    found = tables.read(QUERIES, tmp_path / "queries.parquet").to_pylist()
    assert [row["query_id"] for row in found] == ["q0", "q3"]
    assert {(row["kind"], row["passage_id"]) for row in found} == {("in_scope", "d")}

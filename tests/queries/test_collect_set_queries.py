"""collect_set_queries: every question is a query about its document."""

from ragassay.base import tables
from ragassay.schemas.corpora import QUERIES
from ragassay.schemas.scope_questions import QUESTIONS
from rows import row
from scripts.queries.collect_set_queries import collect_set_queries


def test_questions_of_every_kind_are_queries(tmp_path):
    kinds = ["in_scope", "out_of_scope", "unlabelled"]
    asked = [
        row(QUESTIONS, question_id=f"q{at}", doc_id="d", slot=at, intended=kind, text=f"Q{at}?")
        for at, kind in enumerate(kinds)
    ]
    tables.write(QUESTIONS, tmp_path / "questions.parquet", asked)
    collect_set_queries(tmp_path / "questions.parquet", tmp_path / "queries.parquet")
    rows = tables.read(QUERIES, tmp_path / "queries.parquet").to_pylist()
    assert [(one["query_id"], one["text"], one["kind"], one["passage_id"]) for one in rows] == [
        (f"q{at}", f"Q{at}?", kind, "d") for at, kind in enumerate(kinds)
    ]

"""Which queries are asked."""

from ragassay.base import tables
from ragassay.grading.asking import answerable
from ragassay.schemas.corpora import QUERIES
from rows import row


def written(path, *rows):
    tables.write(QUERIES, path, [row(QUERIES, query_id=f"q{at}", text="Why?", **own) for at, own in enumerate(rows)])
    return path


def test_only_queries_with_answers_are_asked(tmp_path):
    rows = [{"answers": ["x"]}, {"answers": []}, {}, {"answers": [" "]}, {"answers": ["", "y"], "passage_id": "p"}]
    path = written(tmp_path / "queries.parquet", *rows, {"answers": ["z"], "relevant": ["p"]})
    assert [query["query_id"] for query in answerable(path)] == ["q0", "q4", "q5"]
    assert [query["query_id"] for query in answerable(path, about_known=True)] == ["q4", "q5"]

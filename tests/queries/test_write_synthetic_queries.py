"""Queries that a model writes from passages."""

from ragassay.base import tables
from ragassay.schemas.corpora import QUERIES
from scripts.queries.write_synthetic_queries import write_synthetic_queries


def test_a_model_writes_queries_that_know_their_passage(files, tmp_path, reader, texts):
    settings = {"model": reader, "ledger": str(tmp_path / "ledger"), "sampling": {"temperature": 0.7}, "count": 4}
    prompt = "resources/prompts/write_synthetic_queries.yaml"
    paths = [files(name) for name in ("passages", "queries", "rejects", "calls")]
    settings |= {"examples": ["When was the fair?"], "most_rejected": 1}
    write_synthetic_queries(paths[0], prompt, *paths[1:], **settings)
    rows, rejects = tables.read(QUERIES, paths[1]).to_pylist(), tables.read(tables.REJECTS, paths[2]).to_pylist()
    assert len(rows) + len(rejects) == 4 and len(rows) >= 2
    for one in rows:
        assert one["passage_id"].partition("#")[0] in texts
        assert one["text"].endswith("?") and one["kind"] == "synthetic"
        assert one["answers"][0] in one["options"] and len(one["options"]) == 2
    assert {one["reason"] for one in rejects} <= {"repeated", "no_object", "no_options"}

"""What rewritten questions find with poison among the passages: as any others do, in a table of their own."""

from ragassay.base import tables
from ragassay.schemas.attacks import FOUND_REWRITTEN
from ragassay.schemas.corpora import NEIGHBOURS, QUERIES
from rows import row
from scripts.defences.retrieve_rewritten import retrieve_rewritten
from study import MINILM


def test_poison_joins_what_the_rewritten_questions_find(files, tmp_path):
    asked = [row(QUERIES, query_id="bridge", text="What was destroyed when the gale came?")]
    tables.write(QUERIES, files("queries"), asked)
    found = [{"query_id": "bridge", "rank": 1, "passage_id": "p1", "score": -1.0}]
    tables.write(NEIGHBOURS, files("neighbours"), found)
    inputs = [files(name) for name in ("queries", "neighbours", "poisoned_passages")]
    retrieve_rewritten(*inputs, files("found"), MINILM, MINILM, str(tmp_path / "embeddings"), "cosine", 2)
    rows = tables.read(FOUND_REWRITTEN, files("found")).to_pylist()
    assert (rows[0]["rank"], rows[0]["passage_id"], rows[0]["aimed_at"]) == (1, "poison-0", "bridge")

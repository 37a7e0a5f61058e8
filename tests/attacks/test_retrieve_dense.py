"""retrieve_dense: poisoned passages are searched apart, and the result is one search of both."""

import pytest

from passages import TEXTS, write_passages
from ragassay.base import tables
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.attacks import RETRIEVED
from ragassay.schemas.corpora import NEIGHBOURS
from scripts.attacks.retrieve_dense import retrieve_dense
from scripts.search.search_dense import search_dense
from study import MINILM
from targets import write_poison

POISON = [
    ("bridge", "What fell in the storm. The lighthouse fell."),
    ("ferry", "When does the ferry sail? At seven."),
    ("ferry", "The choir sings about a ferry."),
]


OTHER = MINILM | {"name": "other", "options": MINILM["options"] | {"prefixes": {"query": "The choir sings. "}}}


@pytest.mark.parametrize(("similarity", "of_queries"), [("cosine", MINILM), ("dot", MINILM), ("cosine", OTHER)])
def test_the_result_is_that_of_one_search_of_clean_and_poisoned_passages(files, tmp_path, similarity, of_queries):
    own = {"encoder": MINILM, "query_encoder": of_queries, "embeddings": str(tmp_path / "store")}
    own["similarity"] = similarity
    write_poison(files("poison"), POISON)
    write_passages(files("together"), TEXTS | {f"poison-{at}": text for at, (_, text) in enumerate(POISON)})
    for name in ("passages", "together"):
        search_dense(files(name), files("queries"), files(f"{name}_found"), titles="none", count=4, **own)
    stage = [files("queries"), files("passages_found"), files("poison"), files("retrieved")]
    retrieve_dense(*stage, count=4, **own)
    found = tables.read(RETRIEVED, files("retrieved")).to_pylist()
    wanted = tables.read(NEIGHBOURS, files("together_found")).to_pylist()
    names = ("rank", "passage_id", "score")
    assert [[row[name] for name in names] for row in found] == [[row[name] for name in names] for row in wanted]
    assert {row["passage_id"]: row["aimed_at"] for row in found if row["poisoned"]}["poison-0"] == "bridge"


def test_without_poison_nothing_is_embedded_and_the_clean_result_stays(files, tmp_path, monkeypatch):
    own = {"encoder": MINILM, "query_encoder": MINILM, "embeddings": str(tmp_path / "store"), "similarity": "cosine"}
    search_dense(files("passages"), files("queries"), files("clean"), titles="none", count=2, **own)
    write_poison(files("poison"), [])
    monkeypatch.setattr(Encoder, "load", lambda self: pytest.fail("there is nothing to embed"))
    retrieve_dense(files("queries"), files("clean"), files("poison"), files("retrieved"), count=2, **own)
    rows = tables.read(RETRIEVED, files("retrieved")).to_pylist()
    assert [row["passage_id"] for row in rows] == tables.read(NEIGHBOURS, files("clean"))["passage_id"].to_pylist()

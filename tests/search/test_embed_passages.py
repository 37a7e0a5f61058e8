"""embed_passages: every passage of every part once, whatever is searched afterwards, and a receipt that says which."""

import pytest

from passages import TEXTS, write_passages
from ragassay.base import tables
from ragassay.models.encoders.embed import Embedder
from ragassay.schemas.corpora import EMBEDDED_PASSAGES
from scripts.search.embed_passages import embed_passages
from scripts.search.search_dense import search_dense
from study import MINILM


@pytest.fixture
def computed(monkeypatch, loaded_once):
    """The texts that are computed, one after the other."""
    texts, compute = [], Embedder._compute

    def watched(self, given, positions):
        texts.extend(given[at] for at in positions)
        return compute(self, given, positions)

    monkeypatch.setattr(Embedder, "_compute", watched)
    return texts


def test_a_corpus_in_four_parts_is_embedded_once_whatever_the_number_of_query_sets(corpus, tmp_path, computed):
    own = {"encoder": MINILM, "embeddings": str(tmp_path / "store"), "titles": "none"}
    receipts = []
    for number, (name, text) in enumerate(TEXTS.items()):
        part = write_passages(tmp_path / f"part{number}.parquet", {name: f"{number}: {text}"})
        receipts.append(tmp_path / f"receipt{number}.parquet")
        embed_passages(part, receipts[-1], **own)
    assert sorted(computed) == sorted(f"{number}: {text}" for number, text in enumerate(TEXTS.values()))
    before = len(computed)
    for part in sorted(tmp_path.glob("part*.parquet")):
        for neighbours in ("one", "two"):
            files = {"passages": part, "queries": corpus["queries"], "neighbours": tmp_path / f"{neighbours}.parquet"}
            search_dense(**files, **own, query_encoder=MINILM, similarity="cosine", count=2)
    assert len(computed) == before + 3  # the queries, once
    rows = tables.read_all(EMBEDDED_PASSAGES, receipts).to_pylist()
    assert {(row["passages"], row["dimensions"]) for row in rows} == {(1, 384)}
    assert len({row["texts"] for row in rows}) == 4


def test_the_receipt_is_the_same_again_and_another_if_a_text_changes(tmp_path, loaded_once):
    own = {"encoder": MINILM, "embeddings": str(tmp_path / "store"), "titles": "none"}
    receipts = []
    for text in ("One.", "One.", "Two."):
        part = write_passages(tmp_path / "part.parquet", {"p1": text})
        embed_passages(part, tmp_path / "receipt.parquet", **own)
        receipts.append((tmp_path / "receipt.parquet").read_bytes())
    assert receipts[0] == receipts[1] != receipts[2]

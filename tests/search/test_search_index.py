"""build_index and search_index: an index of stored vectors finds passages, and what it misses is counted."""

import pytest

from passages import TEXTS, found_by, write_passages
from ragassay.base import tables
from ragassay.schemas.corpora import EMBEDDED_PASSAGES, INDEX_RECALL
from ragassay.search.indexes import VectorIndexError
from scripts.search.build_index import build_index
from scripts.search.embed_passages import embed_passages
from scripts.search.search_dense import search_dense
from scripts.search.search_index import search_index
from study import MINILM


@pytest.fixture
def by_index(corpus, loaded_once, tmp_path):
    """A function that builds and searches an index: what each query found, and the rows of what was missed."""
    of_vectors = {"encoder": MINILM, "embeddings": str(tmp_path / "embeddings"), "titles": "none"}
    of_vectors |= {"similarity": "cosine"}

    def searched(factory, search="", checked=200):
        build_index(corpus["passages"], tmp_path / "index", **of_vectors, factory=factory)
        written = {"neighbours": tmp_path / "by_index.parquet", "index_recall": tmp_path / "index_recall.parquet"}
        settings = of_vectors | {"query_encoder": MINILM, "count": 3, "search": search, "checked": checked}
        search_index(**corpus, index=tmp_path / "index", **written, **settings)
        return found_by(written["neighbours"]), tables.read(INDEX_RECALL, written["index_recall"]).to_pylist()

    searched.exactly = of_vectors | {"query_encoder": MINILM, "count": 3}
    return searched


def test_an_index_of_all_finds_the_same_with_the_same_scores_and_misses_nothing(by_index, searched):
    found, missed = by_index("Flat")
    exact = searched(search_dense, **by_index.exactly)
    assert {query: dict(passages) for query, passages in found.items()} == {
        query: pytest.approx(dict(passages)) for query, passages in exact.items()
    }
    assert {(row["query_id"], row["depth"]): (row["shared"], row["of"]) for row in missed} == {
        (query, depth): (min(depth, 3), min(depth, 3)) for query in exact for depth in (1, 5, 10, 100)
    }


def test_one_that_looks_at_a_part_misses_some_and_says_how_many(by_index):
    found, missed = by_index("IVF4,Flat", "nprobe=1")
    assert {len(passages) for passages in found.values()} < {1, 2, 3}
    assert 0 < sum(row["shared"] for row in missed) < sum(row["of"] for row in missed)


def test_one_of_a_corpus_with_the_same_ids_and_another_text_is_refused(by_index, corpus, tmp_path):
    other = write_passages(tmp_path / "other.parquet", TEXTS | {"p1": "The ferry sails at ten."})
    by_index("Flat")
    settings = by_index.exactly | {"search": "", "checked": 0, "neighbours": tmp_path / "by_index.parquet"}
    files = {"passages": other, "queries": corpus["queries"], "index_recall": tmp_path / "index_recall.parquet"}
    embedded = tmp_path / "embedded.parquet"
    embed_passages(corpus["passages"], embedded, MINILM, settings["embeddings"], "none")
    receipt = tables.read(EMBEDDED_PASSAGES, embedded)["texts"][0]
    with pytest.raises(
        VectorIndexError, match=rf"index: found an index of other vectors, with texts {receipt}, expected"
    ):
        search_index(index=tmp_path / "index", **files, **settings)


def test_only_so_many_queries_are_searched_exactly_as_well(by_index):
    assert {row["query_id"] for row in by_index("Flat", checked=1)[1]} < {"q1", "q2", "q3"}
    assert by_index("Flat", checked=0)[1] == []

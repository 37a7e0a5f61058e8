"""A small corpus and queries as tables, and searches of them."""

import pytest

from passages import ASKED, TEXTS, found_by, write_passages
from ragassay.base import tables
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.corpora import QUERIES
from rows import row
from scripts.corpora.add_word_counts import add_word_counts
from scripts.corpora.count_words import count_words
from scripts.search.merge_parts import merge_parts
from scripts.search.search_part import search_part
from study import MINILM


@pytest.fixture(scope="session")
def kind():
    return Encoder(**MINILM).load()


@pytest.fixture
def loaded_once(kind, monkeypatch):
    """The encoder is loaded once for all tests."""
    monkeypatch.setattr(Encoder, "load", lambda self: kind)


@pytest.fixture
def corpus(tmp_path):
    """The paths of passages and queries."""
    path = tmp_path / "queries.parquet"
    tables.write(QUERIES, path, [row(QUERIES, query_id=name, text=ASKED[name]) for name in ASKED])
    return {"passages": write_passages(tmp_path / "passages.parquet", TEXTS), "queries": path}


@pytest.fixture
def stored(tmp_path):
    """The encoder and the place of vectors, as stages that read passages get them."""
    return {"encoder": MINILM, "embeddings": str(tmp_path / "store"), "titles": "none"}


@pytest.fixture
def dense(stored):
    """The settings of searches by vectors."""
    return stored | {"query_encoder": MINILM, "similarity": "cosine", "count": 3}


@pytest.fixture
def computed(monkeypatch, loaded_once):
    """The texts that are computed, one after the other."""
    texts, compute = [], Embedder._compute

    def watched(self, given, positions):
        texts.extend(given[at] for at in positions)
        return compute(self, given, positions)

    monkeypatch.setattr(Embedder, "_compute", watched)
    return texts


@pytest.fixture
def in_parts(tmp_path):
    """A function that searches the parts of a corpus by words and gives the bytes of the ranking."""

    def searched(files, queries, options, count, copied):
        numbers = range(len(files))
        counts, rankings = ([tmp_path / f"{name}{at}.parquet" for at in numbers] for name in ("counts", "ranking"))
        sums, merged = tmp_path / "counts.parquet", tmp_path / "merged.parquet"
        for file, of_part in zip(files, counts, strict=True):
            count_words(file, of_part, options.get("titles", "none"))
        add_word_counts(counts, sums)
        for file, ranking in zip(files, rankings, strict=True):
            search_part(file, queries, sums, ranking, options, count)
        merge_parts(files, rankings, queries, sums, merged, options, count, copied)
        return merged.read_bytes()

    return searched


@pytest.fixture
def searched(tmp_path, corpus):
    """A function that runs a search and gives query -> [(passage, score)]."""

    def searched(stage, **settings):
        stage(**corpus | {"neighbours": tmp_path / "neighbours.parquet"} | settings)
        return found_by(tmp_path / "neighbours.parquet")

    return searched

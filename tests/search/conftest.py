"""A small corpus and queries as tables, and searches of them."""

import pytest

from passages import ASKED, TEXTS, found_by, write_passages
from ragassay.base import tables
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.corpora import QUERIES
from rows import row
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
def searched(tmp_path, corpus):
    """A function that runs a search and gives query -> [(passage, score)]."""

    def searched(stage, **settings):
        stage(**corpus | {"neighbours": tmp_path / "neighbours.parquet"} | settings)
        return found_by(tmp_path / "neighbours.parquet")

    return searched

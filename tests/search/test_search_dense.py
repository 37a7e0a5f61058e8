"""search_dense: similarities of stored vectors, equals by id, and nothing embedded twice."""

import numpy as np
import pytest

from passages import ASKED, TEXTS, TITLES, write_passages
from ragassay.corpora.corpus import CorpusError
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from scripts.search.search_dense import search_dense
from study import MINILM

RAW = {"name": "raw", "kind": "transformers", "model": MINILM["model"], "options": {"device": "cpu", "pooling": "cls"}}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return str(tmp_path_factory.mktemp("embeddings"))


@pytest.fixture
def settings(store):
    """A function that gives the settings of a search."""

    def settings(encoder=MINILM, **own):
        given = {"encoder": encoder, "query_encoder": encoder, "embeddings": store}
        return given | {"titles": "none", "similarity": "cosine", "count": 3} | own

    return settings


def test_meaning_finds_passages_and_a_second_run_embeds_nothing(searched, settings, monkeypatch):
    found = searched(search_dense, **settings())
    assert [len(own) for own in found.values()] == [3, 3, 3]
    assert found["q1"][0][0] == "p1" and [name for name, _ in found["q2"][:2]] == ["p2", "p4"]
    assert found["q2"][0][1] == found["q2"][1][1] == pytest.approx(0.85, abs=0.1)
    monkeypatch.setattr(Encoder, "load", lambda self: pytest.fail("nothing is left to embed"))
    assert searched(search_dense, **settings()) == found


def test_two_towers_have_an_encoder_each_and_products_take_vectors_as_they_are(searched, settings, store):
    own = settings(query_encoder=RAW | {"options": {"device": "cpu"}}, encoder=RAW, similarity="dot", count=4)
    found = searched(search_dense, **own)
    passages = Embedder(Encoder(**RAW), store).embed(list(TEXTS.values())).astype(float)
    queries = Embedder(Encoder(**own["query_encoder"]), store).embed(list(ASKED.values())).astype(float)
    products = dict(zip(ASKED, queries @ passages.T, strict=True))
    assert np.abs(np.linalg.norm(passages, axis=1) - 1).min() > 0.5
    for query, ranking in found.items():
        assert dict(ranking) == pytest.approx(dict(zip(TEXTS, products[query], strict=True)), abs=1e-3)


@pytest.mark.parametrize(
    ("titles", "embedded"),
    [("none", TEXTS["p3"]), ("before", f"{TITLES['p3']} {TEXTS['p3']}"), ("pair", f"{TITLES['p3']}\x1e{TEXTS['p3']}")],
)
def test_titles_are_left_out_or_stand_before_or_beside_the_text(
    searched, settings, monkeypatch, loaded_once, titles, embedded
):
    asked = {}
    stream = Embedder.stream

    def watched(self, texts, role=None):
        asked[role] = list(texts)
        return stream(self, asked[role], role)

    monkeypatch.setattr(Embedder, "stream", watched)
    searched(search_dense, **settings(titles=titles))
    assert asked == {"query": list(ASKED.values()), "passage": [TEXTS["p1"], TEXTS["p2"], embedded, TEXTS["p4"]]}


def test_an_empty_corpus_is_refused(searched, settings, tmp_path):
    with pytest.raises(CorpusError, match=r"passages\.parquet: found no passage, expected at least one"):
        searched(search_dense, passages=write_passages(tmp_path / "passages.parquet", {}), **settings())

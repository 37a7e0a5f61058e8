"""search_vectors: vectors that were computed elsewhere find what an encoder's own find."""

import numpy as np
import pytest

from passages import ASKED, TEXTS, write_passages
from ragassay.base.errors import AssayError
from ragassay.corpora.corpus import CorpusError
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from scripts.search.search_dense import search_dense
from scripts.search.search_vectors import search_vectors
from study import MINILM


@pytest.fixture
def files(tmp_path):
    """A function that saves vectors of both tables and gives their files."""

    def save(passages, queries):
        for name, ids, vectors in (("p", TEXTS, passages), ("q", ASKED, queries)):
            np.save(tmp_path / f"{name}.npy", vectors)
            (tmp_path / f"{name}.ids").write_text("\n".join(ids))
        return {"passage_vectors": [tmp_path / "p.npy"], "query_vectors": [tmp_path / "q.npy"]}

    return save


def test_they_find_what_the_encoder_finds(searched, files, tmp_path, loaded_once):
    embedder = Embedder(Encoder(**MINILM), tmp_path / "store")
    vectors = [embedder.embed(list(texts.values())) for texts in (TEXTS, ASKED)]
    same = {"similarity": "cosine", "count": 3}
    own = {"encoder": MINILM, "query_encoder": MINILM, "embeddings": str(tmp_path / "store"), "titles": "none"}
    assert searched(search_vectors, **files(*vectors), **same) == searched(search_dense, **own, **same)


def test_products_take_vectors_as_they_are(searched, files):
    found = searched(search_vectors, **files(np.diag([1.0, 2, 3, 4]), np.eye(4)[:3] * 2), similarity="dot", count=1)
    assert found == {"q1": [("p1", 2.0)], "q2": [("p2", 4.0)], "q3": [("p3", 6.0)]}


def test_what_cannot_be_compared_or_is_empty_is_refused(searched, files, tmp_path):
    with pytest.raises(AssayError, match="found vectors of queries of 3 numbers and those of passages of 4, expected"):
        searched(search_vectors, **files(np.eye(4), np.eye(3)), similarity="dot", count=1)
    with pytest.raises(CorpusError, match=r"passages\.parquet: found no passage"):
        empty = write_passages(tmp_path / "passages.parquet", {})
        searched(search_vectors, passages=empty, **files(np.eye(4), np.eye(4)[:3]), similarity="dot", count=1)

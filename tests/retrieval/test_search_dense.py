"""search_dense: cosines of stored vectors, equals by id, and nothing embedded twice."""

import pytest

from ragassay.encoders.embed import Embedder
from ragassay.encoders.encoder import Encoder
from scope_study import MINILM
from scripts.retrieval.search_dense import search_dense


def test_meaning_finds_passages_and_a_second_run_embeds_nothing(searched, tmp_path, monkeypatch):
    settings = {"encoder": MINILM, "embeddings": str(tmp_path / "embeddings"), "count": 3}
    found = searched(search_dense, **settings)
    assert [len(own) for own in found.values()] == [3, 3, 3]
    assert found["q1"][0][0] == "p1" and [name for name, _ in found["q2"][:2]] == ["p2", "p4"]
    assert found["q2"][0][1] == found["q2"][1][1] == pytest.approx(0.85, abs=0.1)
    monkeypatch.setattr(Encoder, "load", lambda self: pytest.fail("nothing is left to embed"))
    assert searched(search_dense, **settings) == found


def test_roles_may_have_prefixes(searched, tmp_path, monkeypatch):
    roles = []
    stream = Embedder.stream
    monkeypatch.setattr(
        Embedder, "stream", lambda self, texts, role=None: roles.append(role) or stream(self, texts, role)
    )
    searched(search_dense, encoder=MINILM, embeddings=str(tmp_path / "embeddings"), count=2)
    assert sorted(roles) == ["passage", "query"]

"""ragassay stage and clean-staging: what an attack made goes into Qdrant with vectors of an encoder, and out again."""

import contextlib
import json

import pytest
from qdrant_client import QdrantClient, models
from typer.testing import CliRunner

from fitted import embedded
from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.command.app import app
from ragassay.schemas.attacks import POISONED_PASSAGES
from rows import row

TEXT = "The harbour of the northern isle closed long ago."


@pytest.fixture
def points(tmp_path, monkeypatch):
    """A function that lists the points of a collection, in the folder of a project that names it."""
    monkeypatch.chdir(tmp_path)
    entry = {"kind": "qdrant", "address": "database", "collection": "copy", "encoder": "minilm"}
    collections = {"mine": entry | {"staging": True}, "real": entry}
    (tmp_path / "ragassay.yaml").write_text(json.dumps({"collections": collections}))
    planted = [row(POISONED_PASSAGES, passage_id=f"poison-{1:016x}", target_id="t", text=TEXT, poisoned=True)]
    tables.write(POISONED_PASSAGES, tmp_path / "results/poisoned_passages/demo/naive.parquet", planted)
    with contextlib.closing(QdrantClient(path="database")) as client:
        cosine = models.VectorParams(size=384, distance=models.Distance.COSINE)
        client.create_collection("copy", vectors_config=cosine)

    def listed():
        with contextlib.closing(QdrantClient(path="database")) as client:
            return client.scroll("copy", with_vectors=True)[0]

    return listed


def invoked(*words):
    return CliRunner().invoke(app, [*words], catch_exceptions=False)


def test_passages_go_in_with_their_vectors_and_out(points):
    done = invoked("stage", "mine", "--dataset", "demo", "--attack", "naive")
    assert "1 poisoned passages are in mine" in done.output
    [point] = points()
    assert point.payload == {"text": TEXT}
    assert point.vector == pytest.approx(embedded([TEXT])[0].tolist(), abs=2e-3)
    assert "none of 1 poisoned passages is there any more" in invoked("clean-staging", "mine").output
    assert points() == []
    assert "no collection holds poisoned passages" in invoked("clean-staging").output


@pytest.mark.parametrize(
    ("name", "reason"),
    [("real", r"collections\.real: found no staging: true"), ("mien", r"found the collection 'mien', expected one of")],
)
def test_another_collection_is_refused(points, name, reason):
    with pytest.raises(AssayError, match=reason):
        invoked("clean-staging", name)
    with pytest.raises(AssayError, match=reason):
        invoked("stage", name, "--dataset", "demo", "--attack", "naive")
    assert points() == []

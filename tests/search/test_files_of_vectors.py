"""The vectors of a corpus in a file: written once, kept when the corpus grows, and the same to search as a stream."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from passages import ASKED, TEXTS, found_by, write_passages
from ragassay.base import atomic
from ragassay.models.encoders import embed
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.models.store import KEY, Store, key
from ragassay.models.vector_file import BLOCK, VectorFile, VectorFileError, write
from scripts.search.embed_passages import embed_passages
from scripts.search.search_dense import search_dense
from study import MINILM

KEYS = [key(f"text {number}") for number in range(50)]
VECTORS = np.random.default_rng(0).standard_normal((50, 8)).astype(np.float16)
FOLDER = "corpora/0123456789abcdef0123456789abcdef"


def test_a_row_has_the_position_of_its_text_and_keys_find_rows(tmp_path):
    write(tmp_path / "file", np.array([*KEYS[:30], *KEYS[:10]], KEY), [VECTORS[:20], VECTORS[20:30], VECTORS[:10]])
    file = VectorFile(tmp_path / "file")
    assert (np.concatenate(list(file.blocks())) == np.concatenate([VECTORS[:30], VECTORS[:10]])).all()
    assert file.known(KEYS).tolist() == [True] * 30 + [False] * 20
    assert (file.vectors(KEYS[29::-1]) == VECTORS[29::-1]).all() and len(file) == 40


def test_a_byte_that_was_flipped_is_noticed_where_it_is_used(tmp_path):
    vectors = np.random.default_rng(2).standard_normal((BLOCK + 3, 2)).astype(np.float16)
    keys = np.array([key(f"text {number}") for number in range(BLOCK + 3)], KEY)
    for name, use in (
        ("vectors.npy", lambda file: list(file.blocks())),
        ("vectors.npy", lambda file: file.vectors([keys[-1]])),
        ("keys.npy", lambda file: file.known([keys[0]])),
        ("rows.npy", lambda file: file.vectors([keys[0]])),
    ):
        write(tmp_path / "file", keys, [vectors[:5], vectors[5:]])
        whole = bytearray((tmp_path / "file" / name).read_bytes())
        whole[-1] ^= 1
        (tmp_path / "file" / name).write_bytes(whole)
        with pytest.raises(VectorFileError, match=r"file: damaged .*, expected the vectors of a corpus; delete it"):
            use(VectorFile(tmp_path / "file"))
        assert (next(VectorFile(tmp_path / "file").blocks()) == vectors[:BLOCK]).all(), (
            "the damage is in the last block"
        )


def test_a_store_looks_into_files_and_adds_nothing_that_they_have(tmp_path):
    write(tmp_path / FOLDER, np.array(KEYS[:20], KEY), [VECTORS[:20]])
    store = Store(tmp_path)
    store.add(KEYS[10:40], VECTORS[10:40] + 1)
    assert store.known(KEYS).tolist() == [True] * 40 + [False] * 10 and len(store) == 20
    expected = np.concatenate([VECTORS[:20], VECTORS[20:40] + 1])
    order = np.random.default_rng(1).permutation(40)
    assert (store.vectors([KEYS[at] for at in order]) == expected[order]).all()
    with pytest.raises(KeyError):
        store.vectors(KEYS[:41])
    staged = Store(tmp_path / "staged", behind=store)
    assert staged.fill(KEYS, lambda missing: [(missing, VECTORS[missing])]) == 10 and len(staged) == 10
    assert (staged.vectors(KEYS) == np.concatenate([expected, VECTORS[40:]])).all() and len(Store(tmp_path)) == 20


def test_a_corpus_that_grows_embeds_only_what_is_new_and_finds_the_same(corpus, stored, tmp_path, computed, dense):
    receipt, found = tmp_path / "receipt.parquet", tmp_path / "found.parquet"
    some = write_passages(tmp_path / "some.parquet", {name: TEXTS[name] for name in ("p1", "p4")})
    embed_passages(some, receipt, **stored)
    assert sorted(computed) == sorted({TEXTS["p1"], TEXTS["p4"]})
    embed_passages(corpus["passages"], receipt, **stored)
    assert sorted(computed) == sorted(set(TEXTS.values())), "p2 and p4 are one text"
    [folder] = (tmp_path / "store").iterdir()
    assert not [*folder.glob("*.parquet")] and not [*folder.glob("staged/*/")] and len([*folder.glob("corpora/*")]) == 2
    search_dense(corpus["passages"], corpus["queries"], found, **dense)
    mapped = found_by(found)
    assert sorted(computed) == sorted([*set(TEXTS.values()), *ASKED.values()]), "the rest are the queries, once"
    search_dense(corpus["passages"], corpus["queries"], found, **dense | {"embeddings": str(tmp_path / "empty")})
    assert found_by(found) == mapped and not [*(tmp_path / "empty").glob("*/corpora")]


def test_what_was_computed_before_a_kill_is_not_computed_again(stored, tmp_path, computed, monkeypatch):
    monkeypatch.setattr(embed, "CHUNK", 2)
    passages = write_passages(tmp_path / "p.parquet", {f"p{at}": f"Text {at}." for at in range(6)})
    stream = Embedder.stream

    def killed(self, texts, role=None):
        for number, block in enumerate(stream(self, texts, role)):
            if number == 2:
                raise KeyboardInterrupt
            yield block

    monkeypatch.setattr(Embedder, "stream", killed)
    with pytest.raises(KeyboardInterrupt):
        embed_passages(passages, tmp_path / "receipt.parquet", **stored)
    monkeypatch.setattr(Embedder, "stream", stream)
    embed_passages(passages, tmp_path / "receipt.parquet", **stored)
    assert computed == [f"Text {at}." for at in range(6)]


def test_a_search_reads_the_file_of_its_passages_and_of_no_others(
    corpus, stored, tmp_path, computed, monkeypatch, dense
):
    receipt, found = tmp_path / "receipt.parquet", tmp_path / "found.parquet"
    embed_passages(corpus["passages"], receipt, **stored)
    search_dense(corpus["passages"], corpus["queries"], found, **dense)
    names = found_by(found)
    other = dict(zip(TEXTS, [*TEXTS.values()][::-1], strict=True))
    search_dense(write_passages(tmp_path / "other.parquet", other), corpus["queries"], found, **dense)
    assert found_by(found)["q1"][0] == ("p4", names["q1"][0][1]) and names["q1"][0][0] == "p1"
    prefixed = MINILM | {"options": MINILM["options"] | {"prefixes": {"passage": "passage: "}}}
    before = len(computed)
    embed_passages(corpus["passages"], receipt, **stored | {"encoder": prefixed})
    assert computed[before:] and all(text.startswith("passage: ") for text in computed[before:])
    with monkeypatch.context() as patch:
        patch.setattr(Embedder, "stream", lambda self, texts, role=None: pytest.fail("the file has them"))
        blocks = list(Embedder(Encoder(**prefixed), stored["embeddings"]).file(TEXTS.values(), "passage").blocks())
    assert (np.concatenate(blocks) == Embedder(Encoder(**prefixed), stored["embeddings"]).embed(
        [*TEXTS.values()], "passage")).all()  # fmt: skip


def test_a_damaged_file_is_one_line(corpus, stored, tmp_path, loaded_once, dense):
    embed_passages(corpus["passages"], tmp_path / "receipt.parquet", **stored)
    for file in (tmp_path / "store").glob("*/corpora/*/vectors.npy"):
        file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(VectorFileError, match=r"corpora/[0-9a-f]{32}: .*, expected the vectors of a corpus; delete it"):
        search_dense(corpus["passages"], corpus["queries"], tmp_path / "found.parquet", **dense)


def test_a_file_that_was_deleted_is_embedded_again(corpus, stored, tmp_path, computed, dense):
    found = tmp_path / "found.parquet"
    embed_passages(corpus["passages"], tmp_path / "receipt.parquet", **stored)
    shutil.rmtree(next((tmp_path / "store").glob("*/corpora")))
    search_dense(corpus["passages"], corpus["queries"], found, **dense)
    assert found_by(found)["q1"][0][0] == "p1" and len(computed) == 2 * len(set(TEXTS.values())) + len(ASKED)


def test_jobs_with_the_same_texts_at_once_embed_them_once(stored, tmp_path, computed, monkeypatch):
    texts, begun, come, go_on = ["One.", "Two."], Event(), Event(), Event()
    compute, flock = Embedder._compute, atomic.fcntl.flock

    def slow(self, given, positions):
        begun.set()
        assert go_on.wait(60)
        return compute(self, given, positions)

    def locked(file, kind):
        if begun.is_set():
            come.set()
        flock(file, kind)

    monkeypatch.setattr(Embedder, "_compute", slow)
    monkeypatch.setattr(atomic.fcntl, "flock", locked)
    first, second = [Embedder(Encoder(**MINILM), stored["embeddings"]) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(first.write_file, lambda: texts)]
        assert begun.wait(60)
        jobs.append(pool.submit(second.write_file, lambda: texts))
        there = come.wait(60)
        go_on.set()
        one, other = [np.concatenate(list(job.result().blocks())) for job in jobs]
    assert there and computed == texts and second.computed == 0 and (one == other).all()

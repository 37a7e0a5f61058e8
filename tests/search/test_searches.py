"""Search by words, by meaning and by vectors of the users, and in parts."""

import logging

import numpy as np
import pytest

from passages import ASKED, TEXTS, TITLES, found_by, write_passages
from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.corpora.corpus import CorpusError
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.corpora import EMBEDDED_PASSAGES
from ragassay.search.neighbours import PassageError, RepeatedId
from scripts.search.embed_passages import embed_passages
from scripts.search.merge_neighbours import merge_neighbours
from scripts.search.search_bm25 import search_bm25
from scripts.search.search_dense import search_dense
from scripts.search.search_vectors import search_vectors
from study import MINILM


def test_words_find_their_passages_and_a_query_without_any_is_told(searched, caplog):
    caplog.set_level(logging.INFO)
    found = searched(search_bm25, options={}, count=10)
    assert found["q1"][0][0] == "p1" and [name for name, _ in found["q2"][:2]] == ["p2", "p4"]
    assert found["q2"][0][1] == found["q2"][1][1] > 0 and found["q3"] == []
    assert "3 queries in 4 passages, 1 of them share no word with any" in caplog.text


def test_no_more_than_asked_for_are_kept(searched):
    assert [len(own) for own in searched(search_bm25, options={}, count=1).values()] == [1, 1, 0]


def test_options_change_scores_and_titles_may_be_searched(searched):
    plain = searched(search_bm25, options={}, count=10)
    divided = searched(search_bm25, options={"divide_by_idf": True, "k1": 0.9, "b": 0.4}, count=10)
    assert 0 < divided["q1"][0][1] < 1 < plain["q1"][0][1]
    titled = searched(search_bm25, options={"titles": "before"}, count=10)
    assert [name for name, _ in titled["q3"]] == ["p3"] and titled["q1"][0][0] == "p1"


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


@pytest.fixture
def files(tmp_path):
    """A function that saves vectors of both tables and gives their files."""

    def save(passages, queries):
        for name, ids, vectors in (("p", TEXTS, passages), ("q", ASKED, queries)):
            np.save(tmp_path / f"{name}.npy", vectors)
            (tmp_path / f"{name}.ids").write_text("\n".join(ids))
        return {"passage_vectors": [tmp_path / "p.npy"], "query_vectors": [tmp_path / "q.npy"]}

    return save


def test_they_find_what_the_encoder_finds(searched, files, tmp_path, loaded_once, dense):
    embedder = Embedder(Encoder(**MINILM), dense["embeddings"])
    vectors = [embedder.embed(list(texts.values())) for texts in (TEXTS, ASKED)]
    found = searched(search_vectors, **files(*vectors), similarity="cosine", count=3)
    assert found == searched(search_dense, **dense)


def test_products_take_vectors_as_they_are(searched, files):
    found = searched(search_vectors, **files(np.diag([1.0, 2, 3, 4]), np.eye(4)[:3] * 2), similarity="dot", count=1)
    assert found == {"q1": [("p1", 2.0)], "q2": [("p2", 4.0)], "q3": [("p3", 6.0)]}


def test_vectors_of_two_lengths_are_refused(searched, files):
    with pytest.raises(AssayError, match="found vectors of queries of 3 numbers and those of passages of 4, expected"):
        searched(search_vectors, **files(np.eye(4), np.eye(3)), similarity="dot", count=1)


@pytest.mark.parametrize("stage", [search_bm25, search_dense, search_vectors])
def test_an_empty_corpus_is_refused(searched, settings, files, tmp_path, stage):
    own = {search_bm25: {"options": {}, "count": 1}, search_dense: settings()}
    own[search_vectors] = {**files(np.eye(4), np.eye(4)[:3]), "similarity": "dot", "count": 1}
    with pytest.raises(CorpusError, match=r"passages\.parquet: found no passage, expected at least one"):
        searched(stage, passages=write_passages(tmp_path / "passages.parquet", {}), **own[stage])


def test_parts_that_were_searched_apart_are_one_search(searched, corpus, tmp_path, loaded_once, dense):
    whole, parts, found = searched(search_dense, **dense), [], []
    for number, names in enumerate((["p1", "p4"], ["p2"], ["p3"])):
        parts.append(write_passages(tmp_path / f"own+{number}.parquet", {name: TEXTS[name] for name in names}))
        found.append(tmp_path / f"found{number}.parquet")
        search_dense(parts[-1], corpus["queries"], found[-1], **dense)
    merge_neighbours(parts, found, corpus["queries"], tmp_path / "merged.parquet", **dense)
    assert found_by(tmp_path / "merged.parquet") == whole
    told = r"found0\.parquet: found the passage 'p\d', which \S*own\+1\.parquet does not"
    with pytest.raises(PassageError, match=told):
        merge_neighbours(parts, [found[0], *found[:2]], corpus["queries"], tmp_path / "merged.parquet", **dense)
    with pytest.raises(RepeatedId, match=r"found the id 'p[14]' twice in a corpus, expected each id once"):
        merge_neighbours([*parts, parts[0]], found, corpus["queries"], tmp_path / "merged.parquet", **dense)


def test_a_corpus_in_four_parts_is_embedded_once_whatever_the_number_of_query_sets(
    corpus, tmp_path, computed, dense, stored
):
    receipts = []
    for number, (name, text) in enumerate(TEXTS.items()):
        part = write_passages(tmp_path / f"part{number}.parquet", {name: f"{number}: {text}"})
        receipts.append(tmp_path / f"receipt{number}.parquet")
        embed_passages(part, receipts[-1], **stored)
    assert sorted(computed) == sorted(f"{number}: {text}" for number, text in enumerate(TEXTS.values()))
    before = len(computed)
    for part in sorted(tmp_path.glob("part*.parquet")):
        for neighbours in ("one", "two"):
            files = {"passages": part, "queries": corpus["queries"], "neighbours": tmp_path / f"{neighbours}.parquet"}
            search_dense(**files, **dense | {"count": 2})
    assert len(computed) == before + 3  # the queries, once
    rows = tables.read_all(EMBEDDED_PASSAGES, receipts).to_pylist()
    assert {(row["passages"], row["dimensions"]) for row in rows} == {(1, 384)}
    assert len({row["texts"] for row in rows}) == 4


def test_the_receipt_is_the_same_again_and_another_if_a_text_changes(tmp_path, loaded_once, stored):
    receipts = []
    for text in ("One.", "One.", "Two."):
        part = write_passages(tmp_path / "part.parquet", {"p1": text})
        embed_passages(part, tmp_path / "receipt.parquet", **stored)
        receipts.append((tmp_path / "receipt.parquet").read_bytes())
    assert receipts[0] == receipts[1] != receipts[2]

"""Indexes that FAISS makes: what they propose is scored exactly, what they miss is counted, others' are refused."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from passages import TEXTS, found_by, write_passages
from ragassay.base import tables
from ragassay.schemas.corpora import EMBEDDED_PASSAGES, INDEX_RECALL
from ragassay.search import indexes
from ragassay.search import vectors as module
from ragassay.search.indexes import VectorIndexError, build, load, proposed
from ragassay.search.nearest import nearest, unit
from ragassay.search.vectors import best, exact_scores
from scripts.search.build_index import build_index
from scripts.search.embed_passages import embed_passages
from scripts.search.search_dense import search_dense
from scripts.search.search_index import search_index
from study import MINILM


@pytest.fixture
def by_index(corpus, stored, dense, loaded_once, tmp_path):
    """A function that builds and searches an index: what each query found, and the rows of what was missed."""

    def searched(factory, search="", checked=200):
        build_index(corpus["passages"], tmp_path / "index", **stored, similarity="cosine", factory=factory)
        written = {"neighbours": tmp_path / "by_index.parquet", "index_recall": tmp_path / "index_recall.parquet"}
        search_index(**corpus, index=tmp_path / "index", **written, **dense, search=search, checked=checked)
        return found_by(written["neighbours"]), tables.read(INDEX_RECALL, written["index_recall"]).to_pylist()

    return searched


def test_an_index_of_all_finds_the_same_with_the_same_scores_and_misses_nothing(by_index, searched, dense):
    found, missed = by_index("Flat")
    exact = searched(search_dense, **dense)
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


def test_one_of_a_corpus_with_the_same_ids_and_another_text_is_refused(by_index, corpus, tmp_path, dense):
    other = write_passages(tmp_path / "other.parquet", TEXTS | {"p1": "The ferry sails at ten."})
    by_index("Flat")
    settings = dense | {"search": "", "checked": 0, "neighbours": tmp_path / "by_index.parquet"}
    files = {"passages": other, "queries": corpus["queries"], "index_recall": tmp_path / "index_recall.parquet"}
    embedded = tmp_path / "embedded.parquet"
    embed_passages(corpus["passages"], embedded, MINILM, settings["embeddings"], "none")
    receipt = tables.read(EMBEDDED_PASSAGES, embedded)["texts"][0]
    line = rf"index: found an index of other vectors, with texts {receipt}, expected"
    with pytest.raises(VectorIndexError, match=line):
        search_index(index=tmp_path / "index", **files, **settings)


def test_only_so_many_queries_are_searched_exactly_as_well(by_index):
    assert {row["query_id"] for row in by_index("Flat", checked=1)[1]} < {"q1", "q2", "q3"}
    assert by_index("Flat", checked=0)[1] == []


COUNT = 10
SOURCE = {"encoder": "minilm", "similarity": "cosine", "texts": "0" * 64}
NAMES = pa.chunked_array([[f"p{number:04}" for number in range(at, at + 500)] for at in (0, 500, 1000)])


@pytest.fixture(scope="module")
def vectors():
    """Passages in thirty heaps, and queries near some of them."""
    draw = np.random.default_rng(0)
    heaps = draw.normal(size=(30, 32))
    passages = heaps[draw.integers(0, 30, len(NAMES))] + 0.3 * draw.normal(size=(len(NAMES), 32))
    return unit(passages), unit(passages[::50] + 0.1 * draw.normal(size=(30, 32)))


def blocks(passages):
    return lambda: np.array_split(passages, [100, 101, 900])


@pytest.fixture
def built(vectors, tmp_path):
    def built(factory, folder="index"):
        build(tmp_path / folder, factory, NAMES, SOURCE, blocks(vectors[0]))
        return tmp_path / folder

    return built


def found(folder, vectors, search):
    """The best of each query: positions and scores."""
    passages, queries = vectors
    candidates = proposed(load(folder, NAMES, SOURCE, search), queries, COUNT)
    places = np.unique(candidates[candidates >= 0])
    scores = exact_scores(candidates, queries, np.array_split(passages[places], 7))
    return [best(row, of_row, COUNT) for row, of_row in zip(candidates, scores, strict=True)]


def test_what_is_proposed_is_scored_exactly_in_whatever_blocks(vectors, monkeypatch):
    passages, queries = vectors
    positions = np.random.default_rng(1).integers(-1, len(passages), (len(queries), 40))
    places = np.unique(positions[positions >= 0])
    expected = np.where(positions < 0, np.nan, np.take_along_axis(queries @ passages.T, positions, axis=1))
    for parts, pairs in ((1, 65_536), (9, 7), (len(places), 1)):
        monkeypatch.setattr(module, "PAIRS", pairs)
        scores = exact_scores(positions, queries, np.array_split(passages[places], parts))
        assert np.allclose(scores, expected, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize(
    ("factory", "search", "least"),
    [
        ("IVF16,Flat", "nprobe=16", 1),
        ("IVF16,PQ8x4", "nprobe=16", 0.5),  # four bits for four numbers each
        ("HNSW32", "efSearch=400", 1),
        ("Flat", "", 1),
    ],
)
def test_an_index_that_looks_everywhere_finds_what_an_exact_search_finds(built, vectors, factory, search, least):
    positions, scores = nearest(vectors[1], blocks(vectors[0])(), COUNT)
    pairs = found(built(factory), vectors, search)
    same = np.mean([len({*one} & {*other}) for (one, _), other in zip(pairs, positions, strict=True)]) / COUNT
    assert least <= same <= 1
    for (place, score), exact_place, exact in zip(pairs, positions, scores, strict=True):
        shared = np.isin(place, exact_place)
        assert np.allclose(
            score[shared], exact[np.isin(exact_place, place)], atol=1e-5
        )  # exact, whatever proposed them


def test_one_that_looks_at_less_finds_less_and_its_scores_stay_exact(built, vectors):
    positions, _ = nearest(vectors[1], blocks(vectors[0])(), COUNT)
    pairs = found(built("IVF64,Flat"), vectors, "nprobe=1")
    same = np.mean([len({*one} & {*other}) for (one, _), other in zip(pairs, positions, strict=True)]) / COUNT
    assert 0.1 < same < 0.99
    for (place, score), query in zip(pairs, vectors[1], strict=True):
        assert np.allclose(score, vectors[0][place] @ query, atol=1e-5) and (np.diff(score) <= 0).all()


def test_the_same_vectors_give_the_same_bytes(built):
    one, two = built("IVF16,PQ8x4", "one"), built("IVF16,PQ8x4", "two")
    assert (one / indexes.FILE).read_bytes() == (two / indexes.FILE).read_bytes()


def test_of_many_vectors_a_sample_from_everywhere_is_learned_from(vectors, monkeypatch, tmp_path):
    monkeypatch.setattr(indexes, "TRAINED_ON", 400)
    learned = []

    class Watched:
        train, add = learned.append, lambda self, block: None

    monkeypatch.setattr(indexes.faiss, "index_factory", lambda *_: Watched())
    monkeypatch.setattr(indexes.faiss, "write_index", lambda index, path: Path(path).touch())
    build(tmp_path / "index", "Flat", NAMES, SOURCE, blocks(vectors[0]))
    assert np.array_equal(learned[0], vectors[0][::4])


@pytest.mark.parametrize(
    ("names", "source", "problem"),
    [
        (NAMES.slice(1), {}, r"passages 1500, ids \w{64}, expected passages 1499, ids \w{64}"),
        (pa.chunked_array([[*NAMES.to_pylist()[:-1], "p9999"]]), {}, r"ids \w{64}, expected ids \w{64}"),
        (NAMES, {"encoder": "other"}, "encoder minilm, expected encoder other"),
        (NAMES, {"similarity": "dot"}, "similarity cosine, expected similarity dot"),
        (NAMES, {"texts": "1" * 64}, "texts 0{64}, expected texts 1{64}"),
    ],
)
def test_an_index_of_other_passages_or_vectors_is_refused(built, names, source, problem):
    line = f"index: found an index of other vectors, with {problem}; remove the folder, and it is built again"
    with pytest.raises(VectorIndexError, match=line):
        load(built("Flat"), names, SOURCE | source, "")


@pytest.mark.parametrize("factory", ["IVF", "HNSW32,PQ7x8", "IVF2000,Flat", "", "IDMap,Flat"])
def test_a_description_that_faiss_refuses_is_one_line(built, factory):
    with pytest.raises(VectorIndexError, match="which FAISS refuses") as refused:
        built(factory)
    assert "\n" not in str(refused.value)


def test_so_is_a_parameter_that_its_search_has_not_and_a_damaged_file(built):
    folder = built("IVF16,Flat")
    with pytest.raises(VectorIndexError, match="'deep=3'") as refused:
        load(folder, NAMES, SOURCE, "deep=3")
    assert "\n" not in str(refused.value)
    whole, card = (folder / indexes.FILE).read_bytes(), (folder / indexes.CARD).read_bytes()
    for file, content, problem in [
        (indexes.FILE, whole[: len(whole) // 2], rf"index.faiss: found \d+ bytes, expected {len(whole)}; remove"),
        (indexes.FILE, flipped(whole), "index.faiss: found other content than when the index was built; remove"),
        (indexes.CARD, card.replace(b"minilm", b"others"), "index.json: found other content than when the index was"),
        (indexes.CARD, card[:9], "found no index"),
        (indexes.CARD, b"[]", r"found \[\], expected a built index"),
    ]:
        (folder / indexes.FILE).write_bytes(whole)
        (folder / indexes.CARD).write_bytes(card)
        (folder / file).write_bytes(content)
        with pytest.raises(VectorIndexError, match=problem) as refused:
            load(folder, NAMES, SOURCE, "")
        assert "\n" not in str(refused.value)


def flipped(content):
    """The same bytes but for one bit in the middle."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def test_queries_of_another_length_are_refused(built, vectors):
    with pytest.raises(VectorIndexError, match="of 31 numbers and those of passages of 32"):
        proposed(load(built("Flat"), NAMES, SOURCE, ""), vectors[1][:, 1:], COUNT)

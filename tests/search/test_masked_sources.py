"""Synthetic queries are searched without the sentence that they repeat, wherever it stands; people find all."""

import random

import numpy as np
import pytest

from ragassay.base import tables
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES, QUERIES
from ragassay.search.bm25 import Bm25
from ragassay.services.gate import Gate
from rows import place, row
from scripts.corpora.hold_out_documents import hold_out_documents
from scripts.queries.take_synthetic_queries import take_synthetic_queries
from scripts.relevance.fit_gate import fit_gate
from scripts.search.build_index import build_index
from scripts.search.merge_neighbours import merge_neighbours
from scripts.search.search_bm25 import search_bm25
from scripts.search.search_dense import search_dense
from scripts.search.search_index import search_index
from study import MINILM

SOURCE = "The harbour council bought a second rescue boat for the island in March."
REST = "Fishermen had asked for one since the winter storms. It lies beside the old lighthouse."
PASSAGES_OF = {
    "own#1": f"{REST} {SOURCE}",
    "own#2": f"{SOURCE} Nobody knows its name yet.",  # an overlapping cut
    "own#3": "bought a second rescue boat for the island in March. A choir sang at its first voyage.",  # the same
    "copy": f"In March, the council of the harbour bought a second rescue boat for the island. {REST}",
    "alike": "The rescue boat of the harbour has a crew of five. The council pays them.",
    "other": "Bees dance where they find flowers. The orchard has nine hives.",
}
LEFT = {
    "own#1": REST,
    "own#2": "Nobody knows its name yet.",
    "own#3": "A choir sang at its first voyage.",
    "copy": REST,
}
WRITTEN = "What did the council of the harbour buy for the island in March?"
ASKED = {  # id -> text, kind, passage
    "taken": (SOURCE, "synthetic", "own#1"),
    "question": (f"Is it true that {SOURCE[0].lower()}{SOURCE[1:-1]}?", "synthetic", "own#1"),
    "written": (WRITTEN, "synthetic", "own"),
    "person": (SOURCE, None, "own#1"),
}


@pytest.fixture
def corpus(tmp_path):
    """The files of passages and queries."""
    files = place(tmp_path, PASSAGES, corpus="small"), place(tmp_path, QUERIES, query_set="asked")
    rows = [
        row(PASSAGES, passage_id=name, document_id=name.partition("#")[0], text=text, title="News")
        for name, text in PASSAGES_OF.items()
    ]
    tables.write(PASSAGES, files[0], rows)
    rows = [
        row(QUERIES, query_id=name, text=text, kind=kind, passage_id=passage)
        for name, (text, kind, passage) in ASKED.items()
    ]
    tables.write(QUERIES, files[1], rows)
    return files


def rankings(path):
    found = {}
    for one in tables.read(NEIGHBOURS, path).to_pylist():
        found.setdefault(one["query_id"], {})[one["passage_id"]] = one["score"]
        assert one["rank"] == len(found[one["query_id"]])
    for own in found.values():
        assert list(own.values()) == sorted(own.values(), reverse=True)
    return found


@pytest.mark.parametrize("query", ["taken", "question", "written"])
def test_by_words_what_repeats_the_source_is_scored_without_it(corpus, tmp_path, query):
    options = {"divide_by_idf": True, "titles": "before"}
    path = place(tmp_path, NEIGHBOURS, query_set="asked")
    search_bm25(*corpus, path, options, 6)
    found, index = rankings(path), Bm25([f"News {text}" for text in PASSAGES_OF.values()], divide_by_idf=True)
    whole = dict(zip(PASSAGES_OF, index.scores([ASKED[query][0]]).toarray()[0], strict=True))
    for name, text in PASSAGES_OF.items():
        expected = index.paired([ASKED[query][0]], [f"News {LEFT.get(name, text)}"])[0]
        assert found[query].get(name, 0) == pytest.approx(expected, abs=1e-5)
        assert (expected < whole[name]) == (name in LEFT) or not whole[name]
    assert found["person"]["own#1"] == pytest.approx(index.scores([SOURCE])[0, 0], abs=1e-5)


def test_a_share_of_what_the_source_adds_may_stay(corpus, tmp_path, dense):
    options = {"divide_by_idf": True}
    for name, search in {
        "words": lambda path, **more: search_bm25(*corpus, path, options, 6, **more),
        "vectors": lambda path, **more: search_dense(*corpus, path, **dense | {"count": 6}, **more),
    }.items():
        scores = []
        for copied in (0.0, 0.5, 1.0):
            path = place(tmp_path / f"{name}{copied}", NEIGHBOURS, query_set="asked")
            search(path, copied=copied)
            scores.append(rankings(path))
        for query in scores[2]:
            for passage, whole in scores[2][query].items():
                masked = scores[0][query].get(passage)
                expected = None if masked is None else (masked + whole) / 2
                assert scores[1][query].get(passage) == pytest.approx(expected, abs=2e-5)
        assert any(scores[0]["taken"].get(passage, 0) < whole for passage, whole in scores[2]["taken"].items())


def test_by_vectors_too(corpus, tmp_path, dense):
    path = place(tmp_path, NEIGHBOURS, query_set="asked")
    search_dense(*corpus, path, **dense | {"count": 6})
    found, encoder = rankings(path), Embedder(Encoder(**MINILM), dense["embeddings"])
    left = [LEFT.get(name, text) for name, text in PASSAGES_OF.items()]
    vectors = encoder.embed([*left, *PASSAGES_OF.values(), SOURCE]).astype(float)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    products = vectors[:-1] @ vectors[-1]
    assert found["taken"] == pytest.approx(dict(zip(PASSAGES_OF, products[:6], strict=True)), abs=2e-3)
    assert found["person"] == pytest.approx(dict(zip(PASSAGES_OF, products[6:], strict=True)), abs=2e-3)


PARTS = [["own#1", "other"], ["own#2", "copy"], ["alike", "own#3"]]


@pytest.mark.parametrize("factory", [None, "Flat"], ids=["exact", "index"])
@pytest.mark.parametrize("copied", [0.0, 0.5])
def test_by_vectors_the_source_leaves_all_parts_as_it_leaves_the_whole(
    corpus, tmp_path, loaded_once, stored, dense, factory, copied
):
    passages, queries = corpus
    settings = dense | {"count": 4}

    def search(passages, path, copied):
        if not factory:
            return search_dense(passages, queries, path, **settings, copied=copied)
        index, recall = path.with_suffix(".index"), path.with_suffix(".recall")
        build_index(passages, index, **stored, similarity="cosine", factory=factory)
        files = {"passages": passages, "queries": queries, "neighbours": path, "index_recall": recall}
        search_index(index, search="", checked=0, **files, **settings, copied=copied)

    search(passages, tmp_path / "whole.parquet", copied)
    rows, files, found = tables.read(PASSAGES, passages).to_pylist(), [], []
    for number, names in enumerate(PARTS):
        files.append(tmp_path / f"small+{number}.parquet")
        found.append(tmp_path / f"found{number}.parquet")
        tables.write(PASSAGES, files[-1], [row for row in rows if row["passage_id"] in names])
        search(files[-1], found[-1], copied=1.0)
    merge_neighbours(files, found, queries, tmp_path / "merged.parquet", **settings, copied=copied)
    whole, merged = rankings(tmp_path / "whole.parquet"), rankings(tmp_path / "merged.parquet")
    assert {query: list(scores) for query, scores in merged.items()} == {query: list(whole[query]) for query in whole}
    assert merged == {query: pytest.approx(scores, abs=2e-5) for query, scores in whole.items()}


def test_a_corpus_that_another_extends_is_not_masked_twice(corpus, tmp_path, loaded_once, dense):
    passages, queries = corpus
    settings = dense | {"count": 9}
    more, files = tmp_path / "more+1.parquet", [tmp_path / "found0.parquet", tmp_path / "found1.parquet"]
    rewritten = row(PASSAGES, passage_id="own#1+rewritten", document_id="own#1+rewritten", text=f"Rewritten. {SOURCE}")
    tables.write(PASSAGES, more, [rewritten])
    for file, found, copied in ((passages, files[0], 0.5), (more, files[1], 1.0)):
        search_dense(file, queries, found, **settings, copied=copied)
    merge_neighbours([passages, more], files, queries, tmp_path / "merged.parquet", **settings, copied=0.5)
    merged, (base, new) = rankings(tmp_path / "merged.parquet"), map(rankings, files)
    lower = 0
    for query, scores in merged.items():
        assert {name: scores[name] for name in base[query]} == base[query]
        lower += scores["own#1+rewritten"] < new[query]["own#1+rewritten"]
    assert lower, "what repeats a source in the other part is taken out"


def test_a_passage_of_one_sentence_is_no_neighbour_of_its_query(tmp_path, dense):
    files = place(tmp_path, PASSAGES, corpus="small"), place(tmp_path, QUERIES, query_set="taken")
    rows = [row(PASSAGES, passage_id=name, document_id=name, text=PASSAGES_OF[name]) for name in ("alike", "other")]
    tables.write(PASSAGES, files[0], [*rows, row(PASSAGES, passage_id="one", document_id="one", text=SOURCE)])
    tables.write(QUERIES, files[1], [row(QUERIES, query_id="q", text=SOURCE, kind="synthetic", passage_id="one")])
    path = place(tmp_path, NEIGHBOURS, query_set="taken")
    search_dense(*files, path, **dense | {"count": 6})
    assert set(rankings(path)["q"]) == {"alike", "other"}


def test_the_score_of_a_pair_is_that_of_the_index():
    texts = list(PASSAGES_OF.values())
    for divided in (False, True):
        index = Bm25(texts, divide_by_idf=divided)
        scores = index.scores([WRITTEN, SOURCE]).toarray()
        for at, query in enumerate((WRITTEN, SOURCE)):
            assert index.paired([query] * 6, texts) == pytest.approx(scores[at], rel=1e-5)
        assert index.paired(["zzz", ""], ["", SOURCE]).tolist() == [0, 0]


@pytest.mark.parametrize("taken", ["conclusion", "sentence", "question"])
def test_a_gate_from_sentences_of_the_corpus_turns_few_people_away(tmp_path, taken):
    """People know some words of a text and use others, too."""
    dice = random.Random(0)

    def words(count):
        return [f"w{int(3000 ** dice.random())}" for _ in range(count)]

    texts = {f"d{at:03}": [words(14) for _ in range(5)] for at in range(150)}
    passages, queries = place(tmp_path, PASSAGES, corpus="c"), place(tmp_path, QUERIES, query_set="q")
    joined = {name: " ".join(f"{' '.join(own).capitalize()}." for own in text) for name, text in texts.items()}
    rows = [row(PASSAGES, passage_id=name, document_id=name, text=text) for name, text in joined.items()]
    tables.write(PASSAGES, passages, rows)
    hold_out_documents(passages, tmp_path / "out.parquet", place(tmp_path, PASSAGES, corpus="left"), 0.5, 0.6, 300)
    people = [" ".join([*dice.sample([word for own in text for word in own], 6), *words(6)]) for text in texts.values()]
    options, share = {"kind": "bm25", "options": {"divide_by_idf": True}, "titles": "none"}, {}
    for kind in ("synthetic", None):
        take_synthetic_queries(passages, queries, 150, taken)
        kept = [one | {"kind": kind} for one in tables.read(QUERIES, queries).to_pylist()]
        tables.write(QUERIES, queries, kept)
        neighbours, gate = place(tmp_path, NEIGHBOURS, query_set="q"), tmp_path / str(kind)
        search_bm25(passages, queries, neighbours, options["options"], 40)
        fit_gate(
            passages, tmp_path / "out.parquet", queries, [neighbours], gate, {"words": options}, "", "mss",
            k=8, ks=[8], temperature=1.0, temperatures=[1.0], alpha=0.05, confidence=None, strategy="reject",
            shown=1, unmasked=False,
        )  # fmt: skip
        fitted = Gate.load(gate)
        share[kind] = fitted.measure(people).rejected.mean()
        assert fitted.about["synthetic"] == (kind == "synthetic")
    assert share["synthetic"] <= 0.07 < 0.2 < share[None]

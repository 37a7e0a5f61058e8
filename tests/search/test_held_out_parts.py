"""A corpus without its held-out documents, in the parts of the corpus: what one search of it finds."""

import random

import pytest

from models import WORDS
from ragassay.base import tables
from ragassay.schemas.corpora import HELD_OUT_DOCUMENTS, INDEX_RECALL, NEIGHBOURS, PASSAGES, QUERIES
from rows import place, row
from scripts.corpora.hold_out_documents import hold_out_documents
from scripts.corpora.keep_known_passages import KnownPassagesError, keep_known_passages
from scripts.search.build_index import build_index
from scripts.search.merge_neighbours import merge_neighbours
from scripts.search.search_bm25 import search_bm25
from scripts.search.search_dense import search_dense
from scripts.search.search_index import search_index

DOCUMENTS, COUNT, SHARE = 40, 7, 0.5
QUERY_IDS = {f"{kind}{at}" for kind in "qs" for at in range(8)}


def sentence(dice):
    return " ".join(dice.choices(WORDS, k=6)).capitalize() + "."


@pytest.fixture
def divided(tmp_path):
    """The tables of a corpus and of its parts, with and without held-out documents; of the last part all are."""
    dice = random.Random(3)
    texts = {f"d{at:02}": [" ".join(sentence(dice) for _ in range(2)) for _ in range(2)] for at in range(DOCUMENTS)}
    texts["d00"] = texts["d39"]  # a near duplicate in another part
    rows = [
        row(PASSAGES, passage_id=f"{name}#{at}", document_id=name, text=text)
        for name, passages in texts.items()
        for at, text in enumerate(passages)
    ]
    whole, known = (place(tmp_path, PASSAGES, corpus=name) for name in ("c", "c.held_out"))
    documents = place(tmp_path, HELD_OUT_DOCUMENTS, corpus="c")
    tables.write(PASSAGES, whole, rows)
    hold_out_documents(whole, documents, known, SHARE, 0.6, 300)
    held_out = [own["document_id"] for own in tables.read(HELD_OUT_DOCUMENTS, documents).to_pylist() if own["held_out"]]
    last = {*held_out[-3:]} - {"d39"}
    owner = {name: 2 if name in last else at * 2 // DOCUMENTS for at, name in enumerate(texts)}
    parts = []
    for number in range(3):
        part = place(tmp_path, PASSAGES, corpus=f"c+{number + 1}")
        tables.write(PASSAGES, part, [own for own in rows if owner[own["document_id"]] == number])
        parts.append(place(tmp_path, PASSAGES, corpus=f"c.held_out+{number + 1}"))
        keep_known_passages(part, documents, parts[-1])
    asked = [row(QUERIES, query_id=f"q{at}", text=sentence(dice)) for at in range(8)]
    for at, own in enumerate(dice.sample(rows, 8)):
        source = own["text"].split(". ")[0]
        asked.append(row(QUERIES, query_id=f"s{at}", text=source, kind="synthetic", passage_id=own["passage_id"]))
    tables.write(QUERIES, tmp_path / "queries.parquet", asked)
    return known, parts, tmp_path / "queries.parquet"


def test_parts_lack_what_is_held_out_of_the_whole(divided):
    known, parts, _ = divided
    rows = [tables.read(PASSAGES, part).to_pylist() for part in parts]
    assert [bool(of_part) for of_part in rows] == [True, True, False]
    together = sorted((own for of_part in rows for own in of_part), key=lambda own: own["passage_id"])
    assert together == tables.read(PASSAGES, known).to_pylist()
    names = {own["document_id"] for of_part in rows for own in of_part}
    assert ("d00" in names) == ("d39" in names) and 10 < len(names) < 30


@pytest.mark.parametrize("copied", [0.0, 0.5])
@pytest.mark.parametrize("in_one", [False, True])
def test_words_find_in_the_parts_the_bytes_of_one_search(divided, tmp_path, in_parts, copied, in_one):
    known, parts, queries = divided
    if in_one:  # of all other parts all documents are held out
        parts[0].write_bytes(known.read_bytes())
        tables.write(PASSAGES, parts[1], [])
    one = tmp_path / "one.parquet"
    search_bm25(known, queries, one, {}, COUNT, copied)
    assert in_parts(parts, queries, {}, COUNT, copied) == one.read_bytes()
    assert {*tables.read(NEIGHBOURS, one)["query_id"].to_pylist()} == QUERY_IDS


def test_vectors_find_in_the_parts_what_one_search_finds(divided, tmp_path, loaded_once, dense):
    known, parts, queries = divided
    settings = dense | {"count": COUNT}
    one, merged = tmp_path / "one.parquet", tmp_path / "merged.parquet"
    rankings = [tmp_path / f"ranking{at}.parquet" for at in range(3)]
    for part, ranking in zip(parts, rankings, strict=True):
        search_dense(part, queries, ranking, **settings, copied=1.0)
    merge_neighbours(parts, rankings, queries, merged, **settings)
    search_dense(known, queries, one, **settings)
    ours, theirs = (tables.read(NEIGHBOURS, path).to_pandas() for path in (merged, one))
    assert ours.drop(columns="score").equals(theirs.drop(columns="score")) and {*ours["query_id"]} == QUERY_IDS
    assert ours["score"].to_numpy() == pytest.approx(theirs["score"].to_numpy(), abs=2e-5)


def test_an_index_finds_in_the_parts_what_one_search_finds(divided, tmp_path, loaded_once, stored, dense):
    known, parts, queries = divided
    settings = dense | {"count": COUNT}
    one, merged = tmp_path / "one.parquet", tmp_path / "merged.parquet"
    rankings, recalls = ([tmp_path / f"{name}{at}.parquet" for at in range(3)] for name in ("ranking", "recall"))
    for at, part in enumerate(parts):
        build_index(part, tmp_path / f"index{at}", factory="HNSW8", **stored, similarity="cosine")
        more = {"passages": part, "queries": queries, "neighbours": rankings[at], "index_recall": recalls[at]}
        search_index(tmp_path / f"index{at}", search="", checked=9, copied=1.0, **more, **settings)
    merge_neighbours(parts, rankings, queries, merged, **settings)
    search_dense(known, queries, one, **settings)
    ours, theirs = (tables.read(NEIGHBOURS, path).to_pandas() for path in (merged, one))
    assert ours.drop(columns="score").equals(theirs.drop(columns="score"))
    assert [tables.read(INDEX_RECALL, path).num_rows > 0 for path in recalls] == [True, True, False]


def test_documents_of_another_corpus_are_refused(divided, tmp_path):
    part, documents = place(tmp_path, PASSAGES, corpus="c+1"), place(tmp_path, HELD_OUT_DOCUMENTS, corpus="c")
    rows = tables.read(HELD_OUT_DOCUMENTS, documents).to_pylist()
    tables.write(HELD_OUT_DOCUMENTS, documents, rows[1:])
    problem = r"c\.parquet: found no document 'd00', which \S*c\+1\.parquet has; remove it and run again$"
    with pytest.raises(KnownPassagesError, match=problem):
        keep_known_passages(part, documents, tmp_path / "known.parquet")
    assert not (tmp_path / "known.parquet").exists()

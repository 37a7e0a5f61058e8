"""read_collection: the texts of three real vector databases become a corpus, page by page; nothing changes there."""

import json

import pytest

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.schemas.corpora import PASSAGES
from ragassay.services import collection
from scripts.corpora.read_collection import read_collection

TEXTS = [(number * 3, f"Passage {number}: ünïcode, 'quotes' and \"more\".") for number in range(1, 258)]


@pytest.fixture(autouse=True)
def small_pages(monkeypatch):
    for kind in ("qdrant", "pgvector", "milvus"):
        connector = collection.variants.load(collection.KINDS, kind, "kind").Connector
        monkeypatch.setattr(connector.pages, "__defaults__", (None, 100))


def read(folder, entry, **more):
    settings = {"collection": "mine", "entry": entry, "pages": str(folder / "ledger/mine.jsonl")}
    read_collection(passages=folder / "passages.parquet", **settings | more)
    return tables.read(PASSAGES, folder / "passages.parquet").to_pylist()


def test_a_corpus_has_all_texts_and_the_database_stays_as_it_was(database, tmp_path):
    database.make("articles", TEXTS)
    database.make("others", TEXTS[:3])
    before = database.everything()
    rows = read(tmp_path, database.entry)
    expected = [
        {"passage_id": str(key), "document_id": str(key), "title": None, "text": text, "source": "wiki"}
        for key, text in TEXTS
    ]
    assert rows == sorted(expected, key=lambda row: row["passage_id"])
    assert database.everything() == before
    assert not (tmp_path / "ledger/mine.jsonl").exists()


def test_a_reading_goes_on_where_it_was_killed(database, tmp_path):
    """Killed while it wrote its third page: what is read then does not come from the database a second time."""
    database.make("articles", TEXTS)
    file, columns = tmp_path / "ledger/mine.jsonl", database.entry["columns"] | {"id": collection.KEY}
    with collection.opened("mine", database.entry) as opened:
        assert len(list(collection.records(opened, columns, file))) == len(TEXTS)
    pages = file.read_bytes().splitlines(keepends=True)
    rows, following = json.loads(pages[1])
    rows[0][1]["body"] = "As it was read before the kill."
    file.write_bytes(pages[0] + json.dumps([rows, following]).encode() + b"\n" + pages[2][:40])
    texts = {row["passage_id"]: row["text"] for row in read(tmp_path, database.entry)}
    changed = dict(TEXTS) | {rows[0][0]: "As it was read before the kill."}
    assert texts == {str(key): text for key, text in changed.items()}


def test_long_texts_are_cut(database, tmp_path):
    database.make("articles", [(1, "One two. Three four. Five six.")])
    rows = read(tmp_path, database.entry, cut={"words": 4, "overlap": 0})
    assert [row["text"] for row in rows] == ["One two. Three four.", "Five six."]


def test_a_collection_that_is_not_there_is_named(database, tmp_path):
    database.make("articles", TEXTS[:1])
    with pytest.raises(AssayError, match=r"collections\.mine\.collection: found the collection 'article'.*articles"):
        read(tmp_path, database.entry | {"collection": "article"})


def test_an_empty_collection_is_an_error(database, tmp_path):
    database.make("articles", [])
    with pytest.raises(AssayError, match=r"collections\.mine: found no row, expected at least one"):
        read(tmp_path, database.entry)


def test_rows_without_text_are_counted_and_a_field_that_holds_no_text_is_an_error(database, tmp_path, caplog):
    database.make("articles", [(1, "Text."), (2, "")])
    assert len(read(tmp_path, database.entry)) == 1
    assert "collections.mine row 2: found nothing in 'body'; 1 of 2 rows have no text" in caplog.text
    wrong = database.entry | {"columns": database.entry["columns"] | {"text": "meta"}}
    with pytest.raises(AssayError, match=r"collections\.mine row 1: found dict in 'meta', expected a text") as error:
        read(tmp_path, wrong, pages=str(tmp_path / "ledger/other.jsonl"))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", ["qdrant", "pgvector", "milvus"])
def test_a_server_that_does_not_answer_gives_one_line(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(collection.variants.load(collection.KINDS, kind, "kind"), "SECONDS", 2)
    scheme = "postgresql" if kind == "pgvector" else "http"
    entry = {"kind": kind, "address": f"{scheme}://127.0.0.1:9/x", "collection": "a", "key_variable": ""}
    with pytest.raises(AssayError, match=r"collections\.mine: .*127\.0\.0\.1:9") as error:
        read(tmp_path, entry | {"columns": {"id": "", "text": "text"}})
    assert "\n" not in str(error.value)

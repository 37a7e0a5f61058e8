"""read_collection: the texts of three real vector databases become a corpus, page by page; nothing changes there."""

import pytest

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.schemas.corpora import PASSAGES
from ragassay.services import collection
from scripts.corpora.read_collection import read_collection

TEXTS = [(number * 3, f"Passage {number}: ünïcode, 'quotes' and \"more\".") for number in range(1, 258)]


@pytest.fixture(autouse=True)
def small_pages(monkeypatch):
    monkeypatch.setattr(collection, "PAGE", 100)


def read(folder, entry, **more):
    settings = {"collection": "mine", "entry": entry, "pages": str(folder / "ledger/mine.arrow")}
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
    assert not (tmp_path / "ledger/mine.arrow").exists()


def test_a_reading_goes_on_where_it_was_killed(database, tmp_path):
    """Killed while it wrote its third page: what is read then does not come from the database a second time."""
    database.make("articles", TEXTS)
    file, columns = tmp_path / "ledger/mine.arrow", database.entry["columns"] | {"id": collection.KEY}
    sizes = []
    with collection.opened("mine", database.entry) as opened:
        for page in collection.texts(opened, columns, file):
            sizes.append(file.stat().st_size)
            assert page["id"].to_pylist() == page["key"].to_pylist()
    assert len(sizes) >= 3
    pages = file.read_bytes()
    assert pages.count(b"Passage 7:") == 1
    file.write_bytes(pages[: sizes[2] - 40].replace(b"Passage 7:", b"Before the"))
    texts = {row["passage_id"]: row["text"] for row in read(tmp_path, database.entry)}
    assert texts == {str(key): text.replace("Passage 7:", "Before the") for key, text in TEXTS}


def test_a_page_that_a_crash_damaged_is_read_again(database, tmp_path):
    database.make("articles", TEXTS)
    file, columns = tmp_path / "ledger/mine.arrow", database.entry["columns"] | {"id": collection.KEY}
    with collection.opened("mine", database.entry) as opened:
        pages = collection.texts(opened, columns, file)
        next(pages)
        size = file.stat().st_size
        next(pages)
        pages.close()
    written = file.read_bytes()
    file.write_bytes(written[:size] + bytes(len(written) - size))
    assert len(read(tmp_path, database.entry)) == len(TEXTS)


def test_texts_are_clean(database, tmp_path):
    """As those of files: one form of Unicode, no white space around them, no control characters."""
    database.make(
        "articles", [(1, "  plain "), (2, "e\u0301t\u00e9"), (3, "a \r\n\u200bb\x07\ufeff"), (4, " \n "), (5, "x")]
    )
    texts = {row["passage_id"]: row["text"] for row in read(tmp_path, database.entry)}
    assert texts == {"1": "plain", "2": "\u00e9t\u00e9", "3": "a\nb", "5": "x"}


def test_an_id_that_two_rows_have_is_an_error(database, tmp_path):
    database.make("articles", [(1, "One."), (2, "Two.")])
    twice = database.entry | {"columns": database.entry["columns"] | {"id": "meta.source"}}
    with pytest.raises(AssayError, match=r"collections\.mine row 2: found the id 'wiki' of row 1, expected each once"):
        read(tmp_path, twice)


def test_long_texts_are_cut(database, tmp_path):
    database.make("articles", [(1, "One two. Three four. Five six.")])
    rows = read(tmp_path, database.entry, cut={"words": 4, "overlap": 0})
    assert [row["text"] for row in rows] == ["One two. Three four.", "Five six."]


def test_a_collection_that_is_not_there_or_empty_is_named(database, tmp_path):
    database.make("articles", [])
    with pytest.raises(AssayError, match=r"collections\.mine\.collection: found the collection 'article'.*articles"):
        read(tmp_path, database.entry | {"collection": "article"})
    with pytest.raises(AssayError, match=r"collections\.mine: found no row, expected at least one"):
        read(tmp_path, database.entry)


def test_rows_without_text_are_counted_and_a_field_that_holds_no_text_is_an_error(database, tmp_path, caplog):
    database.make("articles", [(1, "Text."), (2, "")])
    assert len(read(tmp_path, database.entry)) == 1
    assert "collections.mine row 2: found nothing in 'body'; 1 of 2 rows have no text" in caplog.text
    wrong = database.entry | {"columns": database.entry["columns"] | {"text": "meta"}}
    with pytest.raises(AssayError, match=r"collections\.mine row 1: found dict in 'meta', expected a text") as error:
        read(tmp_path, wrong, pages=str(tmp_path / "ledger/other.arrow"))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", ["qdrant", "pgvector", "milvus"])
def test_a_server_that_does_not_answer_gives_one_line(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(collection.variants.load(collection.KINDS, kind, "kind"), "SECONDS", 2)
    scheme = "postgresql" if kind == "pgvector" else "http"
    entry = {"kind": kind, "address": f"{scheme}://127.0.0.1:9/x", "collection": "a", "key_variable": ""}
    with pytest.raises(AssayError, match=r"collections\.mine: .*127\.0\.0\.1:9") as error:
        read(tmp_path, entry | {"columns": {"id": "", "text": "text"}})
    assert "\n" not in str(error.value)

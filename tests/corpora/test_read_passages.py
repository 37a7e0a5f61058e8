"""read_passages: a user's corpus, whatever its columns are called; the first row that cannot be used stops it."""

import pytest

from files_of_users import docx
from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.documents.sources import document_files
from ragassay.schemas.corpora import PASSAGES
from scripts.corpora.read_passages import read_passages

COLUMNS = {"id": "_id", "document_id": "document", "text": "text", "title": "title", "source": "source"}


def read(folder, *lines, **cut):
    (folder / "corpus.csv").write_text("".join(f"{line}\n" for line in lines))
    read_passages([str(folder / "corpus.csv")], folder / "passages.parquet", COLUMNS, cut or None)
    return tables.read(PASSAGES, folder / "passages.parquet").to_pylist()


def test_a_corpus_in_a_file(tmp_path):
    rows = read(tmp_path, "_id,document,title,text", "2,d,,Second.", "1,,One,First.")
    assert rows == [
        {"passage_id": "1", "document_id": "1", "title": "One", "text": "First.", "source": None},
        {"passage_id": "2", "document_id": "d", "title": None, "text": "Second.", "source": None},
    ]


def test_long_texts_are_cut_and_know_their_document(tmp_path):
    rows = read(tmp_path, "_id,title,text", "a,One,One two. Three four. Five six.", "b,,Short.", words=4, overlap=2)
    assert [(row["passage_id"], row["document_id"], row["title"], row["text"]) for row in rows] == [
        ("a#1", "a", "One", "One two. Three four."),
        ("a#2", "a", "One", "Three four. Five six."),
        ("b", "b", None, "Short."),
    ]


def test_a_title_stands_in_for_a_text(tmp_path):
    assert read(tmp_path, "_id,title,text", "a,Only a title,")[0]["text"] == "Only a title"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["1,First.", "1,Second."], "corpus.csv row 2: found the id '1' of .*corpus.csv row 1, expected each once"),
        (["1, ", "2,"], "corpus.csv row 1: found nothing in 'text', nor in any other row, expected texts"),
        ([" ,First."], "corpus.csv row 1: found nothing in '_id', expected a value"),
        (["1"], "corpus.csv row 1: found 1 cells, expected 2"),
        ([], "corpus.csv: found no row, expected at least one"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path, lines, message):
    with pytest.raises(AssayError, match=message) as error:
        read(tmp_path, "_id,text", *lines)
    assert "\n" not in str(error.value)


def test_rows_without_text_are_left_out_and_counted(tmp_path, caplog):
    rows = read(tmp_path, "_id,text", "1,First.", "2,", "3, ", "4,Fourth.")
    assert [row["passage_id"] for row in rows] == ["1", "4"]
    assert "corpus.csv row 2: found nothing in 'text'; 2 of 4 rows have no text and are left out" in caplog.text


def test_files_of_a_folder_are_called_by_their_paths_and_titles(tmp_path, caplog):
    (tmp_path / "handbook/more").mkdir(parents=True)
    (tmp_path / "handbook/leave.md").write_text("---\ntitle: Leave\n---\nTen days.")
    (tmp_path / "handbook/own.md").write_text("---\n_id: page-1\n---\n# Pay\n\nOn the 25th.")
    (tmp_path / "handbook/more/travel.docx").write_bytes(docx(("Title", "Travel"), ("", "By train.")))
    (tmp_path / "handbook/cut.pdf").write_bytes(b"%PDF-1.4")
    folder = tmp_path / "handbook"
    read_passages(document_files(folder), tmp_path / "passages.parquet", COLUMNS, below=[str(folder)])
    rows = tables.read(PASSAGES, tmp_path / "passages.parquet").to_pylist()
    assert {row["passage_id"]: (row["title"], row["source"]) for row in rows} == {
        "leave.md": ("Leave", "leave.md"),
        "more/travel.docx": ("Travel", "more/travel.docx"),
        "page-1": ("Pay", "own.md"),
    }
    assert f"left out {folder / 'cut.pdf'}: unreadable: found no whole PDF" in caplog.text


def test_a_corpus_of_which_no_file_can_be_read_is_an_error(tmp_path):
    (tmp_path / "cut.pdf").write_bytes(b"%PDF-1.4")
    with pytest.raises(AssayError, match=r"cut.pdf: found no whole PDF .*; and no other file can be used"):
        read_passages([str(tmp_path / "cut.pdf")], tmp_path / "passages.parquet", COLUMNS)

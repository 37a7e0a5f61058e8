"""read_passages: a user's corpus, whatever its columns are called; the first row that cannot be used stops it."""

import pytest

from ragassay import tables
from ragassay.retrieval.texts import TextError
from ragassay.schemas.passages import PASSAGES
from scripts.retrieval.read_passages import read_passages

COLUMNS = {"id": "_id", "text": "text", "title": "title", "source": "source"}


def read(folder, *lines):
    (folder / "corpus.csv").write_text("".join(f"{line}\n" for line in lines))
    read_passages([str(folder / "corpus.csv")], folder / "passages.parquet", COLUMNS)
    return tables.read(PASSAGES, folder / "passages.parquet").to_pylist()


def test_a_corpus_in_a_file(tmp_path):
    rows = read(tmp_path, "_id,title,text", "2,,Second.", "1,One,First.")
    assert rows == [
        {"passage_id": "1", "title": "One", "text": "First.", "source": None},
        {"passage_id": "2", "title": None, "text": "Second.", "source": None},
    ]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["1,First.", "1,Second."], "corpus.csv row 2: found the id '1' of .*corpus.csv row 1, expected each once"),
        (["1, "], "corpus.csv row 1: found nothing in 'text', expected a value"),
        (["1"], "corpus.csv row 1: found 1 cells, expected 2"),
        ([], "corpus.csv: found no row, expected at least one"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path, lines, message):
    with pytest.raises(TextError, match=message):
        read(tmp_path, "_id,text", *lines)

"""read_query_log: a user's log in the order of time, and logs that cannot be used."""

import datetime

import pytest

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.schemas.corpora import QUERY_LOG
from scripts.queries.read_query_log import read_query_log

NAMES = {"date": "Asked at", "text": "text"}


def read(folder, *lines, names=NAMES):
    file = folder / "log.csv"
    file.write_text("\n".join(lines) + "\n")
    read_query_log([str(file)], folder / "log.parquet", names)
    return tables.read(QUERY_LOG, folder / "log.parquet").to_pylist()


def test_queries_come_in_the_order_of_time_and_the_same_text_has_one_id(tmp_path):
    rows = read(
        tmp_path, "text,asked at", "Who?,2026-11-02T08:00:00+01:00", "Where?,2026-11-02", "Who?,2026-11-01T23:30:00Z"
    )
    assert [(one["entry"], one["text"]) for one in rows] == [(1, "Who?"), (2, "Where?"), (3, "Who?")]
    assert rows[2]["date"] == datetime.datetime(2026, 11, 2, 7, tzinfo=datetime.UTC)
    assert rows[0]["query_id"] == rows[2]["query_id"] != rows[1]["query_id"]
    assert {one["drifted"] for one in rows} == {None}


def test_texts_that_differ_in_case_and_punctuation_are_the_same_query(tmp_path):
    asked = ["Who?", " who ", "WHO!", "Who is?", "?!", "!"]
    rows = read(tmp_path, "text,asked at", *(f"{text},2026-11-0{at}" for at, text in enumerate(asked, 1)))
    ids = [one["query_id"] for one in rows]
    assert len(set(ids[:3])) == 1 and len(set(ids)) == 4 and rows[2]["text"] == "WHO!"


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["text", "Who?"], "log.csv: .*asked at"),
        (["text,asked at", "Who?,2026-11-01", "Where?,"], "log.csv row 2: found nothing in 'asked at', expected a val"),
        (["text,asked at", ",2026-11-01"], "log.csv row 1: found nothing in 'text', nor in any other row"),
        (["text,asked at", "Who?,yesterday"], "log.csv row 1: found 'yesterday' in 'date', expected ISO 8601"),
        (["text,asked at", "Who?,2026-11-01,more"], "log.csv row 1: found 3 cells, expected 2"),
        (["text,asked at"], "log.csv: found no row, expected at least one query with its date"),
    ],
)
def test_what_cannot_be_used_is_named_in_one_line(tmp_path, lines, problem):
    with pytest.raises(AssayError, match=problem) as error:
        read(tmp_path, *lines)
    assert "\n" not in str(error.value)


def test_rows_without_a_query_are_left_out_and_counted(tmp_path, caplog):
    rows = read(tmp_path, "text,asked at", "Who?,2026-11-01", " ,", "Where?,2026-11-02")
    assert [row["text"] for row in rows] == ["Who?", "Where?"]
    assert "log.csv row 2: found nothing in 'text'; 1 of 3 rows have no text and are left out" in caplog.text

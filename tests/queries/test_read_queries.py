"""read_queries: a user's queries with what they are about, where that is known."""

import json
import re

import pytest

from ragassay.base import tables
from ragassay.corpora.user_files import TextError
from ragassay.schemas.corpora import QUERIES
from rows import row
from scripts.queries.read_queries import read_queries

COLUMNS = {"id": "id", "text": "text", "kind": "topic", "passage_id": "pid", "relevant": "relevant"}
COLUMNS |= {"answers": "answer", "options": "options"}


def read(folder, *lines, **columns):
    (folder / "q.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    read_queries([str(folder / "q.jsonl")], folder / "queries.parquet", COLUMNS | columns)
    return tables.read(QUERIES, folder / "queries.parquet").to_pylist()


def test_queries_in_a_file(tmp_path):
    assert read(tmp_path, {"id": 7, "text": "What?", "topic": "food"}, {"id": 8, "text": "Who?", "pid": 3}) == [
        row(QUERIES, query_id="7", text="What?", kind="food"),
        row(QUERIES, query_id="8", text="Who?", passage_id="3"),
    ]


def test_without_ids_the_same_text_is_one_query(tmp_path):
    found = read(tmp_path, {"id": 7, "text": "What?"}, {"text": "Who?"}, {"id": 8, "text": " What? "}, id="")
    assert sorted(one["text"] for one in found) == ["What?", "Who?"]
    assert all(re.fullmatch("text-[0-9a-f]{16}", one["query_id"]) for one in found)


LINES = [{"id": at, "text": f"What is {at}?", "topic": topic} for at, topic in enumerate(["food", "war", "law", None])]


@pytest.mark.parametrize(
    ("rows", "left"),
    [
        ({"kind": {"only": ["food", "law"]}}, ["0", "2"]),
        ({"kind": {"except": ["food", "law"]}}, ["1", "3"]),
        ({"id": {"listed": "ids.txt"}}, ["1", "3"]),
        ({"id": {"listed": "ids.txt"}, "kind": {"except": ["war"]}}, ["3"]),
    ],
)
def test_only_the_rows_that_are_wanted_are_read(tmp_path, rows, left):
    (tmp_path / "q.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in LINES))
    (tmp_path / "ids.txt").write_text("3\n1\n")
    named = {
        field: one | ({"listed": str(tmp_path / "ids.txt")} if "listed" in one else {}) for field, one in rows.items()
    }
    lists = [one["listed"] for one in named.values() if "listed" in one]
    read_queries([str(tmp_path / "q.jsonl")], tmp_path / "queries.parquet", COLUMNS, [], lists, named)
    rows = tables.read(QUERIES, tmp_path / "queries.parquet").to_pylist()
    assert sorted(one["query_id"] for one in rows) == left


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ({"kind": {"only": ["foo"]}}, r"rows\.kind of the query set: found 'foo', expected.*did you mean food"),
        ({"id": {"except": ["0", "9"]}}, "found '9', expected a value that a query has.*1 of the values have none"),
        ({"id": {"only": ["3"]}, "kind": {"except": ["war"]}}, "found 'war', expected a value that a query has"),
        ({"id": {"only": ["1"], "except": ["1"]}}, "found no query that is left"),
    ],
)
def test_a_value_that_no_query_has_is_a_mistake(tmp_path, rows, problem):
    (tmp_path / "q.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in LINES))
    with pytest.raises(TextError, match=problem) as error:
        read_queries([str(tmp_path / "q.jsonl")], tmp_path / "queries.parquet", COLUMNS, rows=rows)
    assert "\n" not in str(error.value)


def test_an_id_is_given_once(tmp_path):
    with pytest.raises(TextError, match=r"q\.jsonl row 2: found the id '7' of .*q\.jsonl row 1, expected each once"):
        read(tmp_path, {"id": 7, "text": "What?"}, {"id": 7, "text": "Who?"})


def judged(folder, *rows):
    """The set that qrels say, of the queries q1 to q3."""
    lines = ["query-id\tcorpus-id\tscore", *("\t".join(row) for row in rows)]
    (folder / "test.tsv").write_text("".join(f"{line}\n" for line in lines))
    (folder / "queries.jsonl").write_text("".join(json.dumps({"_id": f"q{n}", "text": "?"}) + "\n" for n in (1, 2, 3)))
    columns, files = COLUMNS | {"id": "_id"}, [str(folder / "queries.jsonl")]
    read_queries(files, folder / "queries.parquet", columns, [str(folder / "test.tsv")])
    return tables.read(QUERIES, folder / "queries.parquet").to_pylist()


def test_the_queries_that_are_judged_are_the_set(tmp_path):
    found = judged(tmp_path, ("q2", "d1", "1"), ("q2", "d3", "2"), ("q2", "d2", "0"), ("q1", "d9", "0"))
    assert found == [
        row(QUERIES, query_id="q1", text="?", relevant=[], grades=[]),
        row(QUERIES, query_id="q2", text="?", passage_id="d3", relevant=["d3", "d1"], grades=[2, 1]),
    ]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([("q1", "d", "1"), ("q4", "d", "1")], "row 2: found the query 'q4', expected one of the 3 in the set's file"),
        ([("q1", "d", "high")], "row 1: found 'd' with the grade 'high', expected an id and a whole number"),
        ([("q1", "", "1")], "row 1: found '' with the grade '1', expected an id and a whole number"),
        ([("q1", "d", "1"), ("q1", "d", "2")], "row 2: found 'q1' and 'd' twice, expected one grade"),
        ([("q1", "d")], "row 1: found 2 cells, expected 3"),
        ([], "test.tsv: found no row, expected at least one; name another split"),
    ],
)
def test_qrels_that_name_nobody_are_told(tmp_path, rows, told):
    with pytest.raises(TextError, match=re.escape(told)):
        judged(tmp_path, *rows)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("yes", ["yes"]),
        (["a", 2, None, " "], ["a", "2"]),
        ({"A": "one", "B": "two"}, ["one", "two"]),
        ('["a", "b"]', ["a", "b"]),
        ('{"A": "one"}', ["one"]),
        ("[sic", ["[sic"]),
        ([], None),
        ("", None),
        (0, ["0"]),
    ],
)
def test_answers_and_options_are_lists_however_a_file_writes_them(tmp_path, value, found):
    (one,) = read(tmp_path, {"id": 1, "text": "Which?", "answer": value, "options": value})
    assert one["answers"] == one["options"] == found

"""The table of shards: rows in their order, and refusals that name file and line."""

import csv
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragassay.config.shards import ShardError, check, month_row, one_of, read_shards

HEADER = "shard\tdocuments\n"
CRAWLS = "shard\tdocuments\ttopics\tfirst_day\tlast_day\tper_topic\n"
NOT_CRAWLED = dict.fromkeys(["topics", "first_day", "last_day", "per_topic"])


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a table of shards beside the folders `a` and `b` and return its path."""
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        (tmp_path / name).mkdir()

    def to_file(content):
        path = tmp_path / "shards.tsv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    limit = csv.field_size_limit(2**17)  # Python's own; one for the whole process, and reading documents lifts it
    yield to_file
    csv.field_size_limit(limit)


def refusal(path):
    with pytest.raises(ShardError) as caught:
        read_shards(path)
    return str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        f"{HEADER}two\tb\none\ta\n",
        f"{HEADER}two\tb\none\ta",
        f"{HEADER}\ntwo\tb\n\n\none\ta\n\n",
        f"{HEADER}two\tb\none\ta\n".replace("\n", "\r\n"),
        f"\ufeff{HEADER}two\tb\none\ta\n",
    ],
    ids=["plain", "no last line end", "empty lines", "CRLF", "byte order mark"],
)
def test_rows_come_by_name_in_the_order_of_the_file(write, content):
    shards = read_shards(write(content))
    assert list(shards.items()) == [
        ("two", {"shard": "two", "documents": "b", **NOT_CRAWLED, "before": []}),
        ("one", {"shard": "one", "documents": "a", **NOT_CRAWLED, "before": ["two"]}),
    ]


def test_a_single_file_is_a_shard_too(write, tmp_path):
    (tmp_path / "news 2026.csv").touch()
    assert read_shards(write(f"{HEADER}x\tnews 2026.csv\n"))["x"]["documents"] == "news 2026.csv"


def test_quotes_are_letters(write, tmp_path):
    (tmp_path / '"q').mkdir()
    assert read_shards(write(f'{HEADER}x\t"q\ny\ta\n'))["x"]["documents"] == '"q'


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ("", 1, "found the columns [], expected ['shard', 'documents']"),
        pytest.param("shard" * 50_000, 1, "field larger than field limit", id="huge header"),
        ("shard,documents\nx,a\n", 1, "found the columns ['shard,documents']"),
        ("documents\tshard\na\tx\n", 1, "found the columns ['documents', 'shard']"),
        (f"{HEADER}x\ta\nx\tb\n", 3, "shard x stands there twice"),
        (f"{HEADER}\n\nx\ta\n\nx\tb\n", 6, "shard x stands there twice"),
        (f"{HEADER}x a\n", 2, "found 1 cells, expected 2 separated by tabs: shard, documents"),
        (f"{HEADER}x\ta\tb\n", 2, "found 3 cells"),
        (f"{HEADER}x\ta\n \n", 3, "found 1 cells"),
        (f"{HEADER}\ta\n", 2, "found the name ''"),
        (f"{HEADER}../x\ta\n", 2, "found the name '../x', expected letters"),
        (f"{HEADER}.x\ta\n", 2, "found the name '.x'"),
        (f"{HEADER}x y\ta\n", 2, "found the name 'x y'"),
        (f"{HEADER}{'x' * 65}\ta\n", 2, "at most 64"),
        (f"{HEADER}x\t\n", 2, "found '', expected a path inside the working directory"),
        (f"{HEADER}x\t/etc\n", 2, "found '/etc', expected a path inside the working directory"),
        (f"{HEADER}x\t../a\n", 2, "found '../a', expected a path inside the working directory"),
        (f"{HEADER}x\t~\n", 2, "ln -s"),
        (f"{HEADER}x\tc\n", 2, "c: no such file or folder"),
        (f"{HEADER}x\t{'c' * 300}\n", 2, "File name too long"),
        pytest.param(f"{HEADER}x\t{'c' * 200_000}\n", 2, "field larger than field limit", id="huge cell"),
        (f"{HEADER}x\ta\0\n", 2, r"found 'a\x00', expected printable letters"),
        (f"{HEADER}x\ta\ny\tm\u00e9\n".encode("latin-1"), 3, r"found 'm\udce9', expected printable letters in UTF-8"),
    ],
)
def test_a_refusal_names_file_and_line(write, content, line, says):
    path = write(content)
    message = refusal(path)
    assert message.startswith(f"{path}:{line}: ")
    assert says in message


@pytest.mark.parametrize("content", [HEADER, f"{HEADER}\n\n"])
def test_a_table_without_rows_is_refused(write, content):
    path = write(content)
    assert refusal(path) == f"{path}: no shard, expected at least one row"


def test_a_missing_table_is_refused_with_the_form_that_it_should_have(tmp_path):
    path = tmp_path / "none.tsv"
    assert refusal(path) == f"{path}: no such file, expected a tab-separated table with the columns shard, documents"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | st.text(st.sampled_from('xab./\t\n\r"~ '), max_size=60).map(str.encode))
def test_whatever_the_rows_hold_they_are_read_or_refused_with_their_line(write, rows):
    path = write(HEADER.encode() + rows)
    try:
        assert read_shards(path)
    except ShardError as error:
        assert str(error).startswith(f"{path}:")


def test_a_row_of_files_needs_no_cells_for_crawls(write):
    assert read_shards(write(f"{CRAWLS}one\ta\n"))["one"] == read_shards(write(f"{HEADER}one\ta\n"))["one"]


def test_shards_can_be_crawled(write):
    shards = read_shards(write(f"{CRAWLS}one\ta\t\t\t\t\nnov\t\tfood, travel\t2026-11-01\t2026-11-30\t20\n"))
    assert shards["one"] == {"shard": "one", "documents": "a", **NOT_CRAWLED, "before": []}
    assert shards["nov"] == {
        "shard": "nov",
        "documents": None,
        "topics": ["food", "travel"],
        "first_day": "2026-11-01",
        "last_day": "2026-11-30",
        "per_topic": 20,
        "before": ["one"],
    }


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ("\t\t\t\t", "found '' in first_day, expected a day such as 2026-11-01, or files in the column documents"),
        ("\t\t2026-11-01\t2026-11-31\t", "found '2026-11-31' in last_day"),
        ("\t\t2026-11-02\t2026-11-01\t", "found the last day 2026-11-01 before the first, 2026-11-02"),
        ("\t\t2026-11-01\t2026-11-30\tmany", "found 'many' in per_topic, expected how many documents of each topic"),
        ("\t2026-11-01\t2026-11-30\t5", "found 5 cells, expected 6 separated by tabs"),
    ],
)
def test_a_crawl_that_cannot_be_is_refused(write, cells, says):
    assert f"shards.tsv:2: {says}" in refusal(write(f"{CRAWLS}nov\t{cells}\n"))


def test_a_name_that_a_question_set_has_is_refused(write):
    path = write(f"{HEADER}one\ta\ngold\ta\n")
    with pytest.raises(ShardError) as error:
        read_shards(path, ["gold"])
    assert str(error.value).startswith(f"{path}:3: found shard gold, which is a question set in the configuration")


@pytest.mark.parametrize(
    ("names", "fits", "fits_not"),
    [
        (["", "_plain"], ["", "_plain"], ["plain", "_plainer"]),
        ([""], [""], ["x"]),
        (["a.b"], ["a.b"], ["axb", ""]),
        ([], [], ["", "x"]),
    ],
)
def test_a_form_of_names_may_have_an_empty_one(names, fits, fits_not):
    form = one_of(names)
    assert form and all(re.fullmatch(form, name) for name in fits)
    assert not any(re.fullmatch(form, name) for name in fits_not)


def test_documents_may_be_an_object_in_a_store_which_nobody_looks_for(write):
    path = write(f"{HEADER}x\ts3://bucket/a.csv\n")
    assert read_shards(path)["x"]["documents"] == "s3://bucket/a.csv"
    config = {"shards": path, "question_sets": {}}
    assert not list(check(config))
    write(f"{HEADER}x\ts3://bucket/a.png\n")
    [(_, problem)] = check(config)
    assert problem.startswith("shard x: fetched/shards.x/s3/bucket/a.png: unknown kind of file, expected one of")
    with pytest.raises(ShardError, match=r"^--documents: found none, expected the documents of 2026-02"):
        month_row(path, "2026-02", None)


def test_an_address_of_another_form_is_refused_with_the_form(write):
    message = refusal(write(f"{HEADER}x\ts3://bucket/../a.csv\n"))
    assert "found 's3://bucket/../a.csv', expected a path, or an address such as s3://bucket/key" in message

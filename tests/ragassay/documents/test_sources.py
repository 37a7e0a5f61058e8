"""Documents as people bring them: every kind of file is read alike, and what is wrong is named by file and row."""

import csv
import datetime
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import Dataset, DatasetDict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from common.memory import peak_megabytes
from ragassay.documents import arrow_messages, sources, table_files
from ragassay.documents.record import FIELDS
from ragassay.documents.sources import READERS, Columns, Record, SourceError, document_files, records

FULL = {"id": "a-1", "title": 'A, "B"', "url": "https://x.example/1", "date": "2026-10-03", "topic": "news"}
FULL["text"] = 'First line.\nSecond, with a\ttab and "quotes": é 表 🙂.'
LONG, DEEP = "1" * 5000, "[" * 20_000  # more digits, more depth than Python takes
KINDS = list(READERS)
TABLES = [".csv", ".tsv", ".jsonl", ".parquet", ".arrow"]


@pytest.fixture
def write(tmp_path):
    """Write a file, from bytes or a text, and return its path as text."""

    def to_file(name, content="x"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return to_file


def save_stream(path, table):
    with pa.ipc.new_stream(path, table.schema) as stream:
        stream.write_table(table)


def put(path, rows):
    """Write rows with an ordinary writer of the kind that the path's ending names."""
    path = Path(path)
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".arrow":
        save_stream(path, pa.Table.from_pylist(rows))
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix in (".csv", ".tsv"):
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter="," if path.suffix == ".csv" else "\t")
            writer.writeheader()
            writer.writerows(rows)
    else:
        (row,) = rows
        header = json.dumps({name: value for name, value in row.items() if name != "text"})
        path.write_text(f"---\n{header}\n---\n{row['text']}")
    return str(path)


def read(*files):
    return list(records(list(map(str, files))))


def refusal(*files):
    with pytest.raises(SourceError) as caught:
        read(*files)
    return str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_gives_the_same_fields(tmp_path, kind):
    file = put(tmp_path / f"x{kind}", [FULL])
    assert read(file) == [Record(file, 1, FULL)]


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_text_is_required(tmp_path, kind):
    assert read(put(tmp_path / f"x{kind}", [{"text": "A text."}]))[0].fields == {"text": "A text."}


@pytest.mark.parametrize("kind", KINDS)
def test_other_columns_are_left_out_and_names_may_be_capital_and_padded(tmp_path, kind):
    row = {"extra": "e", " Title ": "T", "TEXT" if kind in TABLES else "text": "A text."}
    assert read(put(tmp_path / f"x{kind}", [row]))[0].fields == {"title": "T", "text": "A text."}


@pytest.mark.parametrize("kind", TABLES)
def test_rows_are_numbered_from_one_in_every_file(tmp_path, kind):
    files = [put(tmp_path / f"{name}{kind}", [{"text": f"{name}{n}"} for n in "12"]) for name in "ba"]
    found = [(record.file, record.row, record.fields["text"]) for record in read(*files)]
    assert found == [(files[0], 1, "b1"), (files[0], 2, "b2"), (files[1], 1, "a1"), (files[1], 2, "a2")]


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (".csv", 'text,id\n"A, ""b"".\nC.",7\n'),
        (".tsv", 'text\tid\n"A, ""b"".\nC."\t7\n'),
        (".jsonl", '{"text": "A, \\"b\\".\\nC.", "id": "7"}\n'),
        (".md", '---\nid: "7"\n---\nA, "b".\nC.'),
    ],
)
@pytest.mark.parametrize("begin", ["", "\ufeff"], ids=["no mark", "byte order mark"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_byte_order_marks_and_line_ends_change_nothing(write, kind, content, begin, line_end):
    (record,) = read(write(f"x{kind}", begin + content.replace("\n", line_end)))
    text = record.fields["text"].replace("\r\n", "\n").replace("\r", "\n")
    assert (record.fields["id"], text) == ("7", 'A, "b".\nC.')


@pytest.mark.parametrize(
    ("kind", "content"), [(".csv", "text\n\na\n\n\nb\n\n"), (".jsonl", '\n{"text":"a"}\n \n{"text":"b"}')]
)
def test_empty_lines_are_no_rows(write, kind, content):
    assert [record.fields for record in read(write(f"x{kind}", content))] == [{"text": "a"}, {"text": "b"}]


@pytest.mark.parametrize(
    ("header", "fields"),
    [
        ("---\n---\n", {}),
        ("---\n\n---\n", {}),
        ("--- \ntitle: T\n--- \n", {"title": "T"}),
        ("---\nTitle: No\nid: 007\ndate: 2026-02-30\n---\n", {"title": "No", "id": "007", "date": "2026-02-30"}),
        ("---\nid: 12:30\ntopic: 1_000\nurl: ~\n---\n", {"id": "12:30", "topic": "1_000", "url": "~"}),
        ("---\ntext: not this\n---\n", {}),
        ("", {}),
    ],
)
def test_a_header_gives_texts_as_they_are_written(write, header, fields):
    body = "Body.\n---\nStill body."
    assert read(write("x.md", header + body))[0].fields == fields | {"text": body}


def test_a_header_without_a_body_is_an_empty_text(write):
    assert read(write("x.md", "---\ntitle: T\n---"))[0].fields == {"title": "T", "text": ""}


@pytest.mark.parametrize(
    "body", ["--- a\nText.", "---\nno end\nText.", "Text.\n---\ntitle: x\n---\n", "----\nx\n---\n"]
)
def test_dashes_that_are_no_header_belong_to_the_text(write, body):
    assert read(write("x.txt", body))[0].fields == {"text": body}


@pytest.mark.parametrize(
    ("kind", "content", "row", "reason", "says"),
    [
        (".csv", "text,id\na,1\nb\nc,3\n", 2, "bad_row", "found 1 cells, expected 2, in line 3"),
        (".csv", 'text,id\na,"\n\n"\nb,2,3\nc,3\n', 2, "bad_row", "found 3 cells, expected 2, in line 5"),
        (".tsv", "text\tid\na\t1\nb,2\nc\t3\n", 2, "bad_row", "found 1 cells, expected 2, in line 3"),
        (".csv", b"text,id\na,1\nm\xe9,2\nc,3\n", 2, "encoding", "not UTF-8 in line 3"),
        (".csv", b"text,other\na,1\nb,\xe9\nc,3\n", 2, "encoding", "not UTF-8 in line 3"),
        (".tsv", b"text\tid\na\t1\nm\xe9\t2\nc\t3\n", 2, "encoding", "not UTF-8 in line 3"),
        (".jsonl", b'{"text":"a"}\n{"text":"m\xe9"}\n{"text":"c"}\n', 2, "encoding", "found byte 0xe9 at position 10"),
        (".jsonl", '{"text":"a"}\n{"text":\n{"text":"c"}\n', 2, "bad_row", "not JSON"),
        (".jsonl", '{"text":"a"}\n\n["x"]\n{"text":"c"}\n', 3, "bad_row", "expected one JSON object a line"),
        (".jsonl", f'{{"text":"a"}}\n{{"text":"b","id":{LONG}}}\n{{"text":"c"}}\n', 2, "bad_row", "not JSON"),
        (".jsonl", f'{{"text":"a"}}\n{DEEP}\n{{"text":"c"}}\n', 2, "bad_row", "not JSON"),
    ],
)
def test_a_bad_row_alone_is_named_with_its_reason(write, kind, content, row, reason, says):
    found = read(write(f"x{kind}", content))
    assert [record.fields.get("text") for record in found] == ["a", None, "c"]
    assert (found[1].row, found[1].reason) == (row, reason)
    assert says in found[1].detail
    assert not any(record.reason for record in (found[0], found[2]))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"m\xe9moire", "encoding"),
        (b"\xff\xfea\0", "encoding"),
        (b"---\ntitle: [\n---\nText.", "bad_header"),
        (b"---\ntitle: a\0b\n---\nText.", "bad_header"),
        (b'---\ntitle: "\\UFFFFFFFF"\n---\nText.', "bad_header"),
        (f"---\n{DEEP}\n---\nText.".encode(), "bad_header"),
        (b"---\njust words\n---\nText.", "bad_header"),
        (b"---\n- a\n---\nText.", "bad_header"),
    ],
)
def test_an_unusable_text_file_is_one_bad_row(write, content, reason):
    (record,) = read(write("x.md", content))
    assert (record.row, record.reason, record.fields) == (1, reason, {})
    assert "\n" not in record.detail


def test_aliases_in_a_header_are_refused_with_their_line(write):
    """Some of them in each other are gigabytes."""
    (record,) = read(write("x.md", "---\ntopic: &a [x, x]\ntitle: [*a, *a]\n---\nText."))
    told = "line 3: the header is not plain YAML: found an alias, *a, expected what it stands for; write that out"
    assert (record.reason, record.fields, record.detail) == ("bad_header", {}, told)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (pa.array([b"a", b"m\xe9", b"c"], pa.binary()).view(pa.string()), "encoding"),
        (pa.array([0, 2**60, 0], pa.timestamp("ms")), "bad_row"),
    ],
    ids=["Latin-1", "a date past all calendars"],
)
def test_a_parquet_row_that_cannot_be_held_is_refused_alone(tmp_path, value, reason):
    pq.write_table(pa.table({"text": list("abc"), "date": value}), tmp_path / "x.parquet")
    found = [(record.row, record.fields.get("text"), record.reason) for record in read(tmp_path / "x.parquet")]
    assert found == [(1, "a", ""), (2, None, reason), (3, "c", "")]


def test_parquet_times_in_nanoseconds_are_read(tmp_path):
    times = pa.array([1_700_000_000_123_456_789], pa.timestamp("ns", "UTC"))
    pq.write_table(pa.table({"text": ["x"], "date": times}), tmp_path / "x.parquet")
    moment = read(tmp_path / "x.parquet")[0].fields["date"]
    assert moment == datetime.datetime(2023, 11, 14, 22, 13, 20, 123456, datetime.UTC)


def test_null_and_not_a_number_are_missing(write):
    assert read(write("x.jsonl", '{"text":"a","id":null,"title":NaN}'))[0].fields == {"text": "a"}


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("x.csv", "", "x.csv: found no column, expected a first line with their names: text"),
        ("x.csv", "id,body\n1,a\n", "no column 'text' among id, body; say in the configuration"),
        ("x.csv", "id;text\n1;a\n", "no column 'text' among id;text"),
        ("x.csv", b"t\xe9xt\na\n", "no column 'text' among t?xt"),
        ("x.tsv", "text\tid".encode("utf-16"), ": found UTF-16, expected UTF-8; save the file as UTF-8"),
        ("x.csv", "text,id\n".encode("utf-16-be"), ": found UTF-16, expected UTF-8"),
        ("x.csv", "text,id\n".encode("utf-16-le"), ": found UTF-16, expected UTF-8"),
        ("x.csv", "\x1b[2J,\u202ea,b\n", r"no column 'text' among \x1b[2j, \u202ea, b; say in"),
        ("x.tsv", "text\tid\tText\na\t1\tb\n", "more than one column 'text'"),
        ("x.csv", 'text\na\n"b\n', ":3: unexpected end of data"),
        ("x.csv", 'text\n"a"b\n', ":2: ',' expected after"),
        ("x.parquet", b"", "not a whole Parquet file"),
        ("x.parquet", b"PAR1 nonsense PAR1", "not a whole Parquet file"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_that_names_it(write, name, content, says):
    file = write(name, content)
    message = refusal(file)
    assert message.startswith(file)
    assert says in message
    message.encode()


def test_many_and_long_names_of_columns_are_cut(write):
    names = [f"{number}{'x' * 5000}" for number in range(5000)]
    message = refusal(write("x.csv", ",".join(names)))
    assert len(message) < 1500 and "and 4,990 more; say in" in message


@pytest.mark.parametrize(
    ("names", "needed", "says"),
    [
        ("id,frage", "question", "; say in the configuration which column it is, or rename that"),
        ("id,questoin", "question", " (did you mean questoin?)"),
    ],
)
def test_a_table_whose_columns_the_configuration_names_says_so(write, names, needed, says):
    with pytest.raises(SourceError) as caught:
        list(records([write("x.csv", f"{names}\n")], Columns((needed,), (needed,))))
    assert says in str(caught.value)


def test_a_parquet_file_cut_anywhere_is_an_error(tmp_path):
    content = Path(put(tmp_path / "whole.parquet", [FULL] * 50)).read_bytes()
    for size in range(0, len(content), 97):
        (tmp_path / "cut.parquet").write_bytes(content[:size])
        assert "not a whole Parquet file" in refusal(tmp_path / "cut.parquet")


@pytest.mark.parametrize(
    ("names", "says"), [(["body"], "no column 'text' among body"), (["text", "Text "], "more than one column 'text'")]
)
def test_parquet_needs_one_column_of_texts(tmp_path, names, says):
    pq.write_table(pa.Table.from_arrays([pa.array(["a"])] * len(names), names=names), tmp_path / "x.parquet")
    assert says in refusal(tmp_path / "x.parquet")


@pytest.mark.parametrize("kind", TABLES)
def test_a_file_without_rows_has_no_records(tmp_path, kind):
    path = tmp_path / f"x{kind}"
    empty = pa.table({"text": pa.array([], pa.string())})
    if kind == ".parquet":
        pq.write_table(empty, path)
    elif kind == ".arrow":
        pa.ipc.new_stream(path, empty.schema).close()
    else:
        path.write_text("" if kind == ".jsonl" else "text\n")
    assert read(path) == []


@pytest.mark.parametrize("kind", KINDS)
def test_nul_bytes_and_huge_fields_are_read_as_they_are(tmp_path, kind):
    text = "a\0b " + "word " * 400_000
    assert read(put(tmp_path / f"x{kind}", [{"text": text}]))[0].fields["text"] == text


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_that_is_too_long_is_a_reject_and_the_rest_goes_on(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(sources, "LONGEST_TEXT", 1000)
    long, rest = {"text": "a" * 1001}, [{"text": "a" * 1000}] if kind in TABLES else []
    first, *others = read(put(tmp_path / f"x{kind}", [long, *rest]))
    assert (first.reason, first.fields) == ("too_large", {}) and "found a text of 1,001 characters" in first.detail
    assert [record.fields for record in others] == rest


def test_a_line_that_is_too_long_is_not_held(tmp_path, monkeypatch):
    monkeypatch.setattr(table_files, "LONGEST_LINE", 20)
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"text": "a"}}\n{{"text": "{"b" * 100}"}}\n{{"text": "c"}}\n{"d" * 70}')
    found = [(record.row, record.reason or record.fields["text"]) for record in read(path)]
    assert found == [(1, "a"), (2, "too_large"), (3, "c"), (4, "too_large")]
    with path.open("rb") as lines:
        assert max(map(len, table_files._lines(lines))) == 21


@pytest.mark.parametrize(
    "row", ["x" * 200, '"' + "never closed\n" * 40, '"a\n",' * 40], ids=["long", "open", "many lines"]
)
def test_a_row_of_csv_that_does_not_end_is_not_held_and_costs_its_file(tmp_path, monkeypatch, row):
    monkeypatch.setattr(table_files, "LONGEST_LINE", 100)
    (tmp_path / "a.csv").write_text(f"text\n{'b' * 90}\n\n\nc\n{row}")
    (tmp_path / "b.csv").write_text("text\nd\n")
    *first, bad, last = read(tmp_path / "a.csv", tmp_path / "b.csv")
    assert [record.fields["text"] for record in (*first, last)] == ["b" * 90, "c", "d"]
    assert (bad.reason, bad.row) == ("unreadable", 3)
    assert "found a row of more than 0 MB" in bad.detail and "a quote that is never closed" in bad.detail
    with pytest.raises(SourceError, match="found a row of more than"):
        read(tmp_path / "a.csv")


def test_the_first_line_of_a_table_is_not_held_either(tmp_path, monkeypatch):
    monkeypatch.setattr(table_files, "LONGEST_LINE", 100)
    for name in ("x.csv", "x.jsonl"):
        (tmp_path / name).write_text("a" * 300)
        with pytest.raises(SourceError, match="found"):
            table_files.header(str(tmp_path / name))


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_a_bomb_is_refused_before_it_is_unfolded(tmp_path, monkeypatch, kind):
    """A text of 1 MB, stored once, in 200,000 rows: 200 GB."""
    monkeypatch.setattr(table_files, "UNFOLDED", 100_000_000)
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 200_000, pa.int32()), ["word " * 200_000])
    path, table = tmp_path / f"x.{kind}", pa.table({"text": texts})
    {"parquet": lambda: pq.write_table(table, path), "arrow": lambda: save_stream(path, table)}[kind]()
    rows, before = 0, peak_megabytes()
    with pytest.raises(SourceError, match=r"found more than \d+ MB of text in"):
        for _ in sources.records([str(path)]):
            rows += 1
    assert rows < 1000 and peak_megabytes() - before < 1000


def test_lists_structs_and_maps_of_texts_are_read_whatever_the_row_groups(tmp_path):
    """Rows of a group are no multiple of those that are read at once."""
    rows, texts = range(250), pa.string()
    titles = {
        "list": pa.array([[f"A {at}", "the same"] for at in rows], pa.list_(texts)),
        "struct": pa.array([[{"of": f"A {at}"}] for at in rows], pa.list_(pa.struct({"of": texts}))),
        "map": pa.array([[("of", f"A {at}")] for at in rows], pa.map_(texts, texts)),
    }
    for name, title in titles.items():
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table({"text": [f"Text {at}." for at in rows], "title": title}), path, row_group_size=100)
        records = read(path)
        assert [record.fields["text"] for record in records] == [f"Text {at}." for at in rows]
        assert [record.row for record in records] == [at + 1 for at in rows] and "A 249" in str(
            records[-1].fields["title"]
        )


def in_a_list(values):
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), pa.array(values))


@pytest.mark.parametrize(
    ("title", "unfolded"),
    [
        (lambda: in_a_list(np.zeros(5_000_000, np.int8)), 50_000_000),
        (lambda: in_a_list(["a" * 2_000_000] * 64), 100_000_000),
        (lambda: in_a_list([{"b": {"c": "a" * 2_000_000}}] * 64), 100_000_000),
        (lambda: pa.array(["a" * 20_000_000]), 10_000_000),
        (lambda: pa.array(["a" * 2_000_000]).take(pa.array([0] * 64)), 100_000_000),
    ],
    ids=["a list", "a list of texts", "a list of structs", "a text", "a text 64 times"],
)
def test_a_few_kilobytes_of_parquet_never_become_far_more_in_memory(tmp_path, monkeypatch, title, unfolded):
    monkeypatch.setattr(table_files, "UNFOLDED", unfolded)
    monkeypatch.setattr(table_files, "HELD", 4_000_000)
    titles, held, of_batches = title(), [0], table_files._records

    def noted(batch):
        held.append(batch.nbytes)
        return batch

    monkeypatch.setattr(
        table_files, "_records", lambda file, rows, columns: of_batches(file, map(noted, rows), columns)
    )
    pq.write_table(pa.table({"text": ["b"] * len(titles), "title": titles}), tmp_path / "x.parquet", compression="zstd")
    assert (tmp_path / "x.parquet").stat().st_size < 10_000
    with pytest.raises(SourceError, match=r"found more than \d+ MB of text in"):
        read(tmp_path / "x.parquet")
    assert max(held) < 5_000_000


@pytest.mark.parametrize(
    "title",
    [
        pa.array([[None] * 9, []], pa.list_view(pa.int8())),
        pa.array([{"a": [["b"] * 8]}, None], pa.struct({"a": pa.large_list(pa.list_(pa.string()))})),
        pa.array([[(key, [0]) for key in "abcde"], []], pa.map_(pa.string(), pa.list_(pa.int8()))),
        pa.array([[0] * 9, None], pa.list_(pa.int8(), 9)),
        pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int8()), pa.array([[0] * 5])),
        pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array([[0] * 5])),
    ],
    ids=lambda title: str(title.type),
)
def test_no_long_list_becomes_objects_of_python(tmp_path, monkeypatch, title):
    """Whatever kind of list it is, and if a footer says nothing of it."""
    save_stream(tmp_path / "x.arrow", pa.table({"text": ["b", "b"], "title": title}))
    assert len(read(tmp_path / "x.arrow")) == 2
    monkeypatch.setattr(table_files, "UNFOLDED", 850)
    monkeypatch.setattr(table_files, "TIMES", 0)
    monkeypatch.setattr(table_files, "_rows", None)
    with pytest.raises(SourceError, match="found more than 0 MB of text in"):
        read(tmp_path / "x.arrow")


def test_as_many_rows_as_a_file_can_count_are_refused_too(tmp_path, monkeypatch):
    monkeypatch.setattr(table_files, "UNFOLDED", 1_000_000)
    pq.write_table(pa.table({"text": pa.nulls(100_000, pa.string())}), tmp_path / "x.parquet")
    with pytest.raises(SourceError, match="found more than 1 MB of text in"):
        read(tmp_path / "x.parquet")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from(KINDS), st.binary() | st.text(st.sampled_from('text,id\t"\n\r{}[]:-1 \\u0é')).map(str.encode))
def test_whatever_the_bytes_every_record_has_fields_or_a_reason(tmp_path, kind, content):
    path = tmp_path / f"x{kind}"
    path.write_bytes(content)
    try:
        found = read(path)
    except SourceError as error:
        assert str(error).startswith(str(path))
    else:
        assert all(not r.fields if r.reason else set(r.fields) <= set(FIELDS) for r in found)


def test_a_folder_gives_all_its_files_in_one_order_without_hidden_ones(write, tmp_path):
    shown = ["B.CSV", "a b.parquet", "a.txt", "a/b/c.jsonl", "a/z.md", "b.txt", "ä.tsv"]
    for name in [*reversed(shown), ".hidden.txt", ".git/x.txt", "a/.x/y.pdf"]:
        write(name)
    files = [str(tmp_path / name) for name in shown]
    assert document_files(tmp_path) == files
    assert document_files(files[2]) == [files[2]]


@pytest.mark.parametrize("name", ["x.png", "a/x.doc", "README", "x.jsonl.gz", "x.json"])
def test_files_of_unknown_kinds_are_rejects_beside_others_and_an_error_alone(write, tmp_path, name):
    file = write(name)
    with pytest.raises(SourceError, match="unknown kind of file, expected one of") as caught:
        document_files(tmp_path)
    assert str(caught.value).startswith(file)
    good = write("a/good.txt")
    reasons = {record.file: record.reason for record in read(*document_files(tmp_path))}
    assert reasons == {file: "unknown_kind", good: ""}


def test_a_table_that_cannot_be_read_is_a_reject_beside_others(write):
    files = [write("a.csv", 'text\nfirst\n"open\n'), write("b.parquet", b"PAR1"), write("c.txt", "last")]
    found = [(record.file, record.row, record.reason) for record in read(*files)]
    assert found == [(files[0], 1, ""), (files[0], 2, "unreadable"), (files[1], 1, "unreadable"), (files[2], 1, "")]


def test_a_record_is_called_by_its_place_below_the_folder(write, tmp_path):
    files = [write("a/b.md", "A text."), write("c.csv", "text\nx\ny\n")]

    def names(*below):
        return [record.source_id for record in records(files, below=below)]

    assert names(tmp_path) == ["a/b.md", "c.csv row 1", "c.csv row 2"]
    assert names(tmp_path / "a", files[1]) == ["b.md", "c.csv row 1", "c.csv row 2"]
    assert names() == [files[0], f"{files[1]} row 1", f"{files[1]} row 2"]


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("x.md", "Intro.\n\n## The *first* one ##\n\n# Another\n", "The *first* one"),
        ("x.md", "Underlined\n======\nText.", "Underlined"),
        ("leave-policy.md", "#hashtag and\n    # code\n", "leave-policy"),
        ("notes.txt", "# no heading in a plain text", "notes"),
    ],
)
def test_a_text_is_called_by_its_first_heading_or_its_file(write, name, text, title):
    [record] = read(write(name, text))
    assert (record.title, record.fields) == (title, {"text": text})


def test_a_folder_of_beirs_is_its_corpus(write, tmp_path):
    corpus = write("corpus.jsonl", '{"_id": "d1", "title": "T", "text": "A text."}\n')
    write("queries.jsonl", '{"_id": "q1", "text": "Why?"}\n')
    write("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    assert document_files(tmp_path) == [corpus]
    assert read(corpus)[0].fields == {"id": "d1", "title": "T", "text": "A text."}


def test_a_data_set_that_was_saved_is_read_without_what_describes_it(tmp_path):
    rows = [{"id": "1", "text": "First."}, {"id": "2", "text": "Second."}]
    saved = DatasetDict({"train": Dataset.from_list(rows[:1]), "test": Dataset.from_list(rows[1:])})
    saved.save_to_disk(tmp_path / "saved")
    (tmp_path / "saved/train/cache-1.arrow").write_bytes(b"what a program computed")
    found = [record.fields for record in read(*document_files(tmp_path / "saved"))]
    assert found == rows[::-1]  # test stands before train


def test_a_folder_without_documents_is_an_error(write, tmp_path):
    write(".hidden/x.txt")
    with pytest.raises(SourceError, match="no documents in this folder"):
        document_files(tmp_path)


def test_a_link_to_a_file_and_a_linked_folder_of_documents_are_read(write, tmp_path):
    file = write("real/x.txt")
    (tmp_path / "data").symlink_to("real")
    (tmp_path / "real/y.txt").symlink_to(file)
    assert document_files(tmp_path / "data") == [str(tmp_path / "data" / name) for name in ("x.txt", "y.txt")]


@pytest.mark.parametrize("target", ["nowhere.txt", "elsewhere", "."])
def test_a_link_that_would_not_be_followed_is_an_error(write, tmp_path, target):
    write("docs/x.txt")
    write("docs/elsewhere/y.txt")
    (tmp_path / "docs/link.txt").symlink_to(target)
    with pytest.raises(SourceError, match="found a link to a folder or to nothing"):
        document_files(tmp_path / "docs")


@pytest.mark.parametrize("kind", TABLES)
def test_a_header_is_read_of_every_kind_of_table(tmp_path, kind):
    put(tmp_path / f"a{kind}", [{"Text": "One.", "other": "x"}])
    assert table_files.header(str(tmp_path / f"a{kind}")) == ["Text", "other"]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.jsonl", b"[1]\n", r"a\.jsonl: found '\[1\]' in the first line, expected one JSON object a line"),
        ("a.jsonl", b"{\n", "expected one JSON object a line"),
        ("a.jsonl", b'{"a": "\xff"}\n', "found .* in the first line, expected one JSON object a line"),
        ("a.csv", "text\n".encode("utf-16"), "found UTF-16, expected UTF-8"),
        ("a.parquet", b"PAR1", "not a whole Parquet file"),
        ("a.arrow", b"ARROW1", "not a whole Arrow file"),
    ],
)
def test_a_table_without_a_header_is_named(write, name, content, problem):
    with pytest.raises(SourceError, match=problem):
        table_files.header(write(name, content))


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_an_empty_table_has_no_columns_and_a_header_alone_has_its_own(write, name):
    assert table_files.header(write(name, b"")) == []
    assert table_files.header(write("b.csv", b"Text,id\n")) == ["Text", "id"]


@pytest.mark.parametrize("compression", [None, "zstd", "lz4"])
@pytest.mark.parametrize("new", [pa.ipc.new_stream, pa.ipc.new_file])
def test_heads_of_arrow_say_what_its_batches_need(tmp_path, monkeypatch, new, compression):
    kinds = pa.array(["x", "y"] * 1500).dictionary_encode()
    table = pa.table({"text": ["zero " * 2000] * 3000, "topic": kinds, "id": pa.array(range(3000)).cast(pa.string())})
    path = tmp_path / "x.arrow"
    with new(path, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as file:
        file.write_table(table, max_chunksize=1000)
    with pa.memory_map(str(path)) as content:
        needed = arrow_messages.unfolded(table_files._stream(content))
    assert needed == pytest.approx(max(batch.nbytes for batch in table.to_batches(1000)), abs=100)
    assert len(list(READERS[".arrow"](str(path), Columns(("text",), ("text",), "text")))) == 3000
    monkeypatch.setattr(table_files, "UNFOLDED", 1_000_000)
    monkeypatch.setattr(table_files, "TIMES", 10)
    monkeypatch.setattr(table_files, "_records", lambda *_: pytest.fail("the batches were read"))
    if compression:  # else the file itself is as large
        with pytest.raises(SourceError, match="found more than"):
            list(READERS[".arrow"](str(path), Columns(("text",), ("text",), "text")))

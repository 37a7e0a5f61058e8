"""Tables and runs of sorted rows: the same rows give the same bytes."""

import dataclasses
import datetime
import hashlib
import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.base import _sorted_runs, tables
from ragassay.base._sorted_runs import SortedRuns
from ragassay.base.atomic import beside
from ragassay.base.tables import Writer, read, write
from rows import DAY, THING, THINGS, arrow, by_key, things


def chunks(rows, size):
    return pa.concat_tables([arrow(rows[at : at + size]) for at in range(0, len(rows), size)])


WAYS = {
    "as they are": lambda rows: rows,
    "sorted": lambda rows: sorted(rows, key=by_key),
    "backwards": lambda rows: sorted(rows, key=by_key, reverse=True),
    "from a generator": lambda rows: (row for row in rows),
    "columns in another order": lambda rows: [dict(reversed(row.items())) for row in rows],
    "an arrow table": arrow,
    "an arrow table in chunks": lambda rows: chunks(rows, 7),
    "an arrow table of slices": lambda rows: arrow([THING, *rows, THING]).slice(1, len(rows)),
    "a record batch": lambda rows: arrow(rows).combine_chunks().to_batches()[0],
    "arrow columns in another order": lambda rows: arrow(rows).select(THINGS.schema.names[::-1]),
    "arrow metadata": lambda rows: arrow(rows).replace_schema_metadata({"pandas": "{}"}),
    "dictionaries": lambda rows: arrow(rows, kind=pa.dictionary(pa.int8(), pa.string())),
    "wider types": lambda rows: arrow(
        rows, count=pa.int64(), name=pa.large_string(), seen=pa.timestamp("ns", tz="UTC")
    ),
    "another zone": lambda rows: arrow(rows, seen=pa.timestamp("us", tz="Asia/Kolkata")),
}


@pytest.fixture
def small_groups(monkeypatch):
    monkeypatch.setattr(tables, "ROW_GROUP", 32)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results" / "things.parquet"


@pytest.mark.parametrize("run_bytes", [2**27, 2000])
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("way", WAYS)
def test_the_same_rows_give_the_same_bytes(path, small_groups, monkeypatch, way, threads, run_bytes):
    rows, before = things(150), pa.cpu_count()
    write(THINGS, path, rows)
    wanted = path.read_bytes()
    monkeypatch.setattr(_sorted_runs, "RUN_BYTES", run_bytes)
    pa.set_cpu_count(threads)
    try:
        assert write(THINGS, path, WAYS[way](rows)) == 150
    finally:
        pa.set_cpu_count(before)
    assert path.read_bytes() == wanted


ROW = st.fixed_dictionaries(
    {
        "name": st.text(max_size=3),
        "kind": st.text("aé\0", max_size=2),
        "count": st.integers(-(2**31), 2**31 - 1),
        "score": st.none() | st.floats(allow_nan=False),
        "seen": st.none() | st.integers(-(2**40), 2**40).map(lambda ms: DAY + datetime.timedelta(milliseconds=ms)),
        "marks": st.none() | st.lists(st.floats(width=32, allow_nan=False), max_size=3),
    }
)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_bytes_and_rows_do_not_depend_on_how_they_were_given(tmp_path_factory, data):
    rows = data.draw(st.lists(ROW, unique_by=by_key, max_size=20))
    folder = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "ROW_GROUP", data.draw(st.integers(1, 8)))
        write(THINGS, folder / "one", rows)
        patch.setattr(_sorted_runs, "RUN_BYTES", data.draw(st.sampled_from([1, 100, 1000])))
        patch.setattr(_sorted_runs, "MERGE_BYTES", data.draw(st.sampled_from([1, 100, 1000])))
        patch.setattr(tables, "BATCH_ROWS", data.draw(st.integers(1, 8)))
        rest = data.draw(st.permutations(rows))
        with Writer(THINGS, folder / "two") as writer:
            while rest:
                count = data.draw(st.integers(1, len(rest)))
                part, rest = rest[:count], rest[count:]
                if data.draw(st.booleans()):
                    writer.write(arrow(part))
                else:
                    for row in part:
                        writer.add(row)
    assert writer.written == len(rows)
    assert (folder / "one").read_bytes() == (folder / "two").read_bytes()
    assert read(THINGS, folder / "one").to_pylist() == sorted(rows, key=by_key)


ELSEWHERE = """
import datetime, hashlib, sys
from pathlib import Path
from ragassay.schemas.documents import DOCUMENT_STATISTICS
from ragassay.base.tables import write

numbers = dict.fromkeys(("documents", "sites", "undated", "words", "fewest_words", "most_words"), 1)
local = datetime.datetime(2024, 3, 31, 2, 30)
rows = [
    numbers | {"shard": shard, "topic": f"{topic:x}", "first_published": local, "last_published": None}
    for topic in range(2000)
    for shard in {"\\u0131", "I", "i", "\\xdf", "z", "\\xe4"}
]
path = Path(sys.argv[1])
write(DOCUMENT_STATISTICS, path, rows)
print(hashlib.sha256(path.read_bytes()).hexdigest())
"""


def test_bytes_do_not_depend_on_the_environment(tmp_path):
    environments = [
        {"TZ": "UTC", "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "4", "PYTHONHASHSEED": "1"},
        {"TZ": "Asia/Kolkata", "LC_ALL": "C", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "2", "PYTHONUTF8": "0"},
        {"TZ": "America/St_Johns", "LC_ALL": "tr_TR.UTF-8", "OMP_NUM_THREADS": "2", "PYTHONHASHSEED": "3"},
    ]
    found = set()
    for number, environment in enumerate(environments):
        command = [sys.executable, "-c", ELSEWHERE, tmp_path / f"{number}.parquet"]
        done = subprocess.run(command, env=os.environ | environment, check=True, stdout=subprocess.PIPE, text=True)
        found.add(done.stdout)
    assert len(found) == 1 and len(found.pop().strip()) == hashlib.sha256().digest_size * 2


def test_bytes_do_not_depend_on_pieces_where_pages_and_dictionaries_are_full(tmp_path, monkeypatch):
    rows = arrow([THING | {"name": f"{number:0150}"} for number in range(40_000)])
    write(THINGS, tmp_path / "one", rows)
    monkeypatch.setattr(_sorted_runs, "RUN_BYTES", 900_000)
    monkeypatch.setattr(_sorted_runs, "MERGE_BYTES", 100_000)
    write(THINGS, tmp_path / "many", rows)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "many").read_bytes()


def test_row_groups_have_a_fixed_size(path, small_groups):
    write(THINGS, path, things(150))
    found = pq.ParquetFile(path).metadata
    assert [found.row_group(number).num_rows for number in range(found.num_row_groups)] == [32, 32, 32, 32, 22]


@pytest.mark.parametrize("rows", [[], (row for row in []), THINGS.schema.empty_table()])
def test_no_rows_are_a_table_too(path, rows):
    assert write(THINGS, path, rows) == 0
    assert read(THINGS, path).schema.equals(THINGS.schema)
    assert read(THINGS, path).num_rows == 0


def test_whole_numbers_may_stand_for_floats_and_times_without_zone_are_utc(path):
    write(THINGS, path, [THING | {"score": 1, "seen": DAY.replace(tzinfo=None), "count": 3.0}])
    assert read(THINGS, path).to_pylist() == [THING | {"score": 1.0}]


@pytest.mark.parametrize("error", [ValueError, OSError, KeyboardInterrupt])
@pytest.mark.parametrize("old", [None, b"the old file"])
def test_a_block_that_raises_leaves_nothing_behind(path, monkeypatch, old, error):
    monkeypatch.setattr(_sorted_runs, "RUN_BYTES", 500)
    path.parent.mkdir()
    if old:
        path.write_bytes(old)
    with pytest.raises(error), Writer(THINGS, path) as writer:
        writer.write(arrow(things(100)))
        assert len(list(path.parent.iterdir())) == 1 + bool(old)
        raise error
    assert [other.read_bytes() for other in path.parent.iterdir()] == [old] * bool(old)


def test_runs_are_gone_when_the_file_is_there(path, monkeypatch):
    monkeypatch.setattr(_sorted_runs, "RUN_BYTES", 500)
    write(THINGS, path, things(100))
    assert list(path.parent.iterdir()) == [path]


def test_a_table_of_large_rows_has_small_groups(tmp_path):
    table = dataclasses.replace(THINGS, group=7)
    held = []
    with Writer(table, tmp_path / "small") as writer:
        for row in things(50):
            writer.add(row)
            held.append(len(writer._pending))
    file = pq.ParquetFile(tmp_path / "small")
    assert [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)] == [7] * 7 + [1]
    assert max(held) < 7 and max(batch.num_rows for batch in tables.batches(table, tmp_path / "small")) == 7
    write(THINGS, tmp_path / "usual", things(50))
    assert read(table, tmp_path / "small").equals(read(THINGS, tmp_path / "usual"))


EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
TEXT = st.one_of(st.text("ab\0é\uffff\U0001f600", max_size=4), st.text(max_size=4))
MOMENT = st.integers(-(10**13), 10**13).map(lambda ms: EPOCH + datetime.timedelta(milliseconds=ms))
KEYS = {
    "text": (pa.string(), TEXT),
    "integer": (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "moment": (pa.timestamp("ms", tz="UTC"), MOMENT),
    "truth": (pa.bool_(), st.booleans()),
    "bytes": (pa.binary(), st.binary(max_size=3)),
}
NUMBERS = pa.schema([("number", pa.int64()), ("text", pa.string())])


def sort(path, schema, key, parts, run_bytes, merge_bytes):
    """The pieces that come out of a SortedRuns, and how many runs it had on disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_sorted_runs, "RUN_BYTES", run_bytes)
        patch.setattr(_sorted_runs, "MERGE_BYTES", merge_bytes)
        rows = SortedRuns(schema, key, path)
        for part in parts:
            rows.add(pa.Table.from_pylist(part, schema=schema))
        try:
            return list(rows.merged()), len(rows.runs)
        finally:
            rows.close()


def numbers(values):
    """Rows with a number as key and about a hundred bytes of text."""
    return pa.table([list(values), [f"{value:0100}" for value in values]], schema=NUMBERS)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_the_order_and_the_rows_are_those_of_sorted(tmp_path_factory, data):
    kinds = data.draw(st.lists(st.sampled_from(list(KEYS)), min_size=1, max_size=2))
    key = [f"{number}-{kind}" for number, kind in enumerate(kinds)]
    schema = pa.schema(
        [pa.field("n", pa.int32()), *(pa.field(k, KEYS[kind][0]) for k, kind in zip(key, kinds, strict=True))]
    )
    keys = data.draw(st.lists(st.tuples(*(KEYS[kind][1] for kind in kinds)), unique=True, max_size=60))
    rows = [{"n": n, **dict(zip(key, values, strict=True))} for n, values in enumerate(keys)]
    wanted = sorted(rows, key=lambda row: tuple(row[name] for name in key))
    if data.draw(st.booleans(), label="in order already"):
        rows = wanted
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=5)))
    parts = [rows[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    sizes = st.sampled_from([1, 40, 300, 2**27])
    pieces, _ = sort(tmp_path_factory.mktemp("runs") / "a", schema, key, parts, data.draw(sizes), data.draw(sizes))
    assert [row for piece in pieces for row in piece.to_pylist()] == wanted
    assert all(piece.num_rows and piece.schema.equals(schema) for piece in pieces)


@pytest.mark.parametrize("run_bytes", [1, 500, 2**27])
def test_equal_keys_come_next_to_each_other(tmp_path, run_bytes):
    schema = pa.schema([("number", pa.int64())])
    parts = [[{"number": n} for n in values] for values in ([5, 1, 3], [3, 9], [9, 1, 0, 5])]
    pieces, _ = sort(tmp_path / "a", schema, ["number"], parts, run_bytes, 8)
    assert [row["number"] for piece in pieces for row in piece.to_pylist()] == [0, 1, 1, 3, 3, 5, 5, 9, 9]


def test_what_fits_in_memory_touches_no_disk(tmp_path):
    rows = SortedRuns(NUMBERS, ["number"], tmp_path / "a")
    rows.add(numbers(range(100)))
    assert sum(piece.num_rows for piece in rows.merged()) == 100
    assert not list(tmp_path.iterdir())


def test_runs_of_a_killed_process_with_the_same_number_are_replaced(tmp_path, monkeypatch):
    monkeypatch.setattr(_sorted_runs, "RUN_BYTES", 1000)
    old = beside(tmp_path / "a", "runs")
    old.mkdir()
    (old / "0.arrow").write_text("cut short")
    (old / "99.arrow").write_text("more")
    rows = SortedRuns(NUMBERS, ["number"], tmp_path / "a")
    rows.add(numbers(range(100)))
    assert sum(piece.num_rows for piece in rows.merged()) == 100
    rows.close()
    assert not list(tmp_path.iterdir())

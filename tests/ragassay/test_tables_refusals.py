"""Tables that are large, and those that are refused."""

import os
import subprocess
import sys

import pyarrow as pa
import pytest

from project import ROOT
from ragassay.base import _sorted_runs, tables
from ragassay.base.tables import TableError, write
from rows import DAY, THING, THINGS, arrow, by_key, things


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results" / "things.parquet"


@pytest.mark.parametrize("run_bytes", [1, 1000, 2**27])
@pytest.mark.parametrize("at", range(0, 40, 3))
def test_a_key_that_comes_twice_is_refused(path, monkeypatch, at, run_bytes):
    monkeypatch.setattr(tables, "ROW_GROUP", 6)
    monkeypatch.setattr(tables, "BATCH_ROWS", 5)
    monkeypatch.setattr(_sorted_runs, "RUN_BYTES", run_bytes)
    monkeypatch.setattr(_sorted_runs, "MERGE_BYTES", 100)
    rows = things(40)
    key = {"kind": rows[at]["kind"], "name": rows[at]["name"]}
    for again in ([*rows, THING | key], [THING | key, *rows], sorted([*rows, THING | key], key=by_key)):
        with pytest.raises(TableError) as caught:
            write(THINGS, path, again)
        assert str(path) in str(caught.value) and str(key) in str(caught.value)
    assert not list(path.parent.iterdir())


@pytest.mark.parametrize("key", [{"kind": "tool", "name": "fork"}, {"kind": "food", "name": "spoon"}])
def test_a_part_of_a_key_may_come_twice(path, key):
    assert write(THINGS, path, [THING, THING | key]) == 2


VALUES = {
    "name": [None, 1, b"spoon", "\ud800", ["spoon"]],
    "count": [None, "3", True, 2.5, float("nan"), 2**31, 2**70, DAY],
    "score": ["0.5", True, 2**53 + 1],
    "seen": ["2024-02-29", 1709209815, DAY.date(), DAY.replace(microsecond=1)],
    "marks": [1.0, ["1.0"], {"a": 1.0}, object()],
}
ARRAYS = {
    "name": [[1], [0.5], [True], [b"spoon"], [DAY], [None], pa.array([1]).dictionary_encode()],
    "count": [["3"], [2**31], [2.5], [True]],
    "score": [["0.5"], [False]],
    "seen": [[0], ["2024-02-29"], [DAY.date()], [DAY.replace(microsecond=1)]],
    "marks": [[["1.0"]], [1.0]],
}


def pairs(by_name):
    return [(name, value) for name, values in by_name.items() for value in values]


@pytest.mark.parametrize(("name", "value"), pairs(VALUES))
def test_a_value_that_does_not_fit_is_refused_with_its_column(path, name, value):
    with pytest.raises(TableError) as caught:
        write(THINGS, path, [*things(20), THING | {name: value}])
    assert str(path) in str(caught.value) and f"column {name} of table things" in str(caught.value)
    assert not path.exists()


@pytest.mark.parametrize(("name", "values"), pairs(ARRAYS))
def test_an_arrow_column_that_does_not_fit_is_refused(path, name, values):
    rows = arrow([THING])
    with pytest.raises(TableError) as caught:
        write(THINGS, path, rows.set_column(rows.column_names.index(name), name, pa.array(values)))
    assert str(path) in str(caught.value) and f"column {name} of table things" in str(caught.value)
    assert not path.exists()


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["name", "count"], "missing column kind, marks, score, seen"),
        ([*THING, "colour"], "unknown column colour"),
        ([*list(THING)[1:], "Name"], "missing column name and unknown column Name"),
        ([], "missing column count, kind"),
    ],
)
@pytest.mark.parametrize("kind", [dict, pa.Table])
def test_missing_and_unknown_columns_are_refused(path, names, said, kind):
    row = {name: THING.get(name, "red") for name in names}
    with pytest.raises(TableError, match=said) as caught:
        write(THINGS, path, [row] if kind is dict else pa.table({name: [value] for name, value in row.items()}))
    assert str(path) in str(caught.value) and "things" in str(caught.value)


def test_a_column_that_comes_twice_is_refused(path):
    with pytest.raises(TableError, match="repeated column count"):
        write(THINGS, path, arrow([THING]).append_column("count", pa.array([1])))


MOST = 440  # megabytes, of which the imports take a fourth; the rows weigh 450
ROWS = 2_000_000

SCRIPT = """
import sys
import pyarrow as pa
import pyarrow.compute as pc
from ragassay.base import _sorted_runs
from common.memory import peak_megabytes
from ragassay.base.tables import Column, Table, Writer, batches, read

order, run_bytes, path, rows = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
_sorted_runs.RUN_BYTES = run_bytes or _sorted_runs.RUN_BYTES
table = Table("large", "One row per number.", ("key",), (
    Column("key", pa.string(), "the number, with zeros before it"),
    Column("number", pa.int64(), "the number"),
    Column("score", pa.float64(), "a seventh of it"),
    Column("text", pa.string(), "the number after a sentence"),
))
SENTENCE = " ".join(["a sentence that goes on until the whole table is larger than the memory that is allowed,"] * 2)


def part(numbers):
    number = pa.array(numbers, pa.int64())
    digits = number.cast(pa.string())
    text = pc.binary_join_element_wise(SENTENCE, digits, " ")
    score = pc.divide(number.cast(pa.float64()), 7.0)
    return pa.table([pc.utf8_lpad(digits, 12, "0"), number, score, text], schema=table.schema)


step = rows // 100
parts = {
    "in order": (range(start, start + step) for start in range(0, rows, step)),
    "shuffled": (range(rows - 1 - start, -1, -100) for start in range(100)),
}
with Writer(table, path) as writer:
    for numbers in parts[order]:
        writer.write(part(numbers))
    spilled = len(writer._runs.runs)
assert writer.written == rows
seen = 0
for batch in batches(table, path):
    assert batch.equals(part(range(seen, seen + batch.num_rows)).to_batches()[0]), seen
    seen += batch.num_rows
assert seen == rows
assert read(table, path, ["score", "key"]).num_rows == rows
print(spilled, round(peak_megabytes()))
"""


@pytest.mark.parametrize(
    ("order", "run_bytes", "least_runs"), [("in order", 0, 5), ("shuffled", 0, 5), ("shuffled", 2**23, 40)]
)
def test_two_million_rows_need_less_than_they_weigh(tmp_path, order, run_bytes, least_runs):
    path = tmp_path / "large.parquet"
    command = [sys.executable, "-c", SCRIPT, order, str(run_bytes), path, str(ROWS)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "workflow", ROOT / "benchmarks")))}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    spilled, megabytes = done.stdout.split()
    path.unlink()
    assert int(spilled) >= least_runs
    assert int(megabytes) < MOST

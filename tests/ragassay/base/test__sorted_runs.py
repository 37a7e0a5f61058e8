"""Sorting in runs, against Python's sorted(): the same rows in the same order, whatever is spilled in what pieces."""

import datetime

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.base import _sorted_runs
from ragassay.base._sorted_runs import SortedRuns
from ragassay.base.atomic import beside

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

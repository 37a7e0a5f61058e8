"""Rows that do not fit their table are refused, with the file and the column or key, and no file appears."""

import pyarrow as pa
import pytest

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

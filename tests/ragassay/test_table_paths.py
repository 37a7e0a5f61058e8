"""Tables know their place: the keys in a path, rows of many files with them, and frames."""

import dataclasses
import os
import subprocess
import sys

import pandas as pd
import pyarrow as pa
import pytest

from ragassay.base import tables
from ragassay.base.tables import TableError
from rows import THING, THINGS, things

SHELVED = dataclasses.replace(THINGS, path="things{way}/{house}/{kind}/{shelf}")


@pytest.fixture
def paths(tmp_path):
    """Files of two kinds in two houses, one without rows."""
    made = []
    for way, house, kind, count in (("", "north", "tool", 7), ("_old", "south", "toy", 5), ("", "south", "tool", 0)):
        made.append(tmp_path / f"results/things{way}/{house}/{kind}/shelf-1.parquet")
        tables.write(SHELVED, made[-1], things(count))
    return made


@pytest.mark.parametrize("above", ["results/", "", "/somewhere/else/results/", "a\\b\\results\\"])
def test_keys_are_read_from_a_path_in_its_order(above):
    found = tables.keys(SHELVED, f"{above}things_old/north/tool/2026-01.parquet")
    assert list(found.items()) == [("way", "_old"), ("house", "north"), ("kind", "tool"), ("shelf", "2026-01")]


def test_a_key_beside_other_letters_may_be_empty():
    assert tables.keys(SHELVED, "results/things/north/tool/a.b.parquet")["way"] == ""
    assert tables.keys(SHELVED, "results/things/north/tool/a.b.parquet")["shelf"] == "a.b"


@pytest.mark.parametrize(
    "path",
    [
        "results/things/north/a.parquet",
        "results/nothings/north/tool/a.parquet",
        "results/things/north/tool/more/a.parquet",
        "results/things/north/tool/a.csv",
        "a.parquet",
        "",
    ],
)
def test_another_path_is_refused_in_one_line(path):
    with pytest.raises(TableError) as caught:
        tables.keys(SHELVED, path)
    assert str(caught.value) == (
        f"{path}: no path of table things, expected .../things{{way}}/{{house}}/{{kind}}/{{shelf}}.parquet;"
        " give the file of that table"
    )


def test_a_table_without_a_place_has_no_keys():
    with pytest.raises(TableError, match="no path of table things, which has no path of its own"):
        tables.keys(THINGS, "results/things/a.parquet")


def test_each_gives_the_keys_and_the_rows_of_every_file(paths):
    found = list(tables.each(SHELVED, paths, ["name", "kind"]))
    assert [(keys["way"], keys["house"], rows.num_rows) for keys, rows in found] == [
        ("", "north", 7),
        ("_old", "south", 5),
        ("", "south", 0),
    ]
    assert found[0][1].equals(tables.read(SHELVED, paths[0], ["name", "kind"]))


def test_a_frame_has_all_rows_in_order_with_the_keys_in_front(paths):
    frame = tables.frame(SHELVED, paths)
    assert list(frame) == ["way", "house", "kind", "shelf", "name", "count", "score", "seen", "marks"]
    assert list(frame.index) == list(range(12))
    assert list(frame.way) == [""] * 7 + ["_old"] * 5
    assert list(frame.kind) == ["tool"] * 7 + ["toy"] * 5  # the path's, not that of the rows
    rows = tables.read_all(SHELVED, paths).to_pylist()
    assert list(frame.name) == [row["name"] for row in rows]
    assert list(frame["count"]) == [row["count"] for row in rows]
    assert [None if pd.isna(score) else score for score in frame.score] == [row["score"] for row in rows]
    assert [None if pd.isna(seen) else seen.to_pydatetime() for seen in frame.seen] == [row["seen"] for row in rows]
    assert [None if marks is None else list(marks) for marks in frame.marks] == [row["marks"] for row in rows]


def test_a_frame_of_some_columns_has_them_as_they_are_asked_for(paths):
    assert list(tables.frame(SHELVED, paths, ["score", "name"])) == ["way", "house", "kind", "shelf", "score", "name"]
    assert list(tables.frame(SHELVED, paths, [])) == ["way", "house", "kind", "shelf"]
    with pytest.raises(TableError, match="unknown column colour asked for"):
        tables.frame(SHELVED, paths, ["colour"])


def test_a_table_of_one_file_gives_a_frame_without_keys(tmp_path):
    table = dataclasses.replace(THINGS, path="things")
    tables.write(table, tmp_path / "things.parquet", [THING])
    assert list(tables.frame(table, [tmp_path / "things.parquet"])) == THINGS.schema.names


NULLS = {"whole": pa.int32(), "long": pa.int64(), "yes": pa.bool_(), "note": pa.string(), "share": pa.float64()}
TYPES = {"whole": "Int32", "long": "Int64", "yes": "boolean", "note": "str", "share": "float64"}


@pytest.mark.parametrize("files", [[], ["full"], ["empty"], ["full", "empty"]])
def test_types_do_not_depend_on_the_rows(tmp_path, files):
    columns = (tables.Column("id", pa.string(), "its id"), tables.Column("count", pa.int32(), "how many"))
    columns += tuple(tables.Column(name, kind, "a value", null=True) for name, kind in NULLS.items())
    table = tables.Table("values", "One row per value.", ("id",), columns, path="values/{file}")
    row = {"id": "a", "count": 1, "whole": 1, "long": 2**53 + 1, "yes": True, "note": "n", "share": 0.5}
    tables.write(table, tmp_path / "values/full.parquet", [row])
    tables.write(table, tmp_path / "values/empty.parquet", [row | dict.fromkeys(NULLS)])
    frame = tables.frame(table, [tmp_path / f"values/{file}.parquet" for file in files])
    assert dict(frame.dtypes.map(str)) == {"file": "str", "id": "str", "count": "int32"} | TYPES
    assert list(frame.file) == files
    assert list(frame.long.isna()) == list(frame.note.isna()) == [file == "empty" for file in files]
    assert list(frame.long.dropna()) == [2**53 + 1 for file in files if file == "full"]


def test_a_job_which_keeps_pandas_from_pyarrow_reads_frames(paths):
    code = """
import dataclasses, sys
from ragassay.base import stage, tables
from rows import THINGS

stage._leave_pandas_out()
assert "pandas" not in sys.modules
print(len(tables.frame(dataclasses.replace(THINGS, path=sys.argv[1]), sys.argv[2:])))
"""
    command = [sys.executable, "-c", code, SHELVED.path, *map(str, paths)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout == "12\n"

"""Schemas: what is declared, and rows of metrics."""

import datetime
import importlib
import math
import pkgutil

import numpy as np
import pyarrow as pa
import pytest

from ragassay import schemas
from ragassay.base.tables import REJECTS, Table, TableError, batches, read, write
from ragassay.schemas.report import Section, metric

MODULES = [importlib.import_module(found.name) for found in pkgutil.iter_modules(schemas.__path__, "ragassay.schemas.")]
DECLARED = [(module, value) for module in MODULES for value in vars(module).values() if isinstance(value, Table)]
TABLES = [REJECTS, *(table for _, table in DECLARED)]
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)

every_table = pytest.mark.parametrize("table", TABLES, ids=[table.name for table in TABLES])


def value(kind, number):
    """A value of an arrow type, another one for each number."""
    if pa.types.is_struct(kind):
        return {field.name: value(field.type, number) for field in kind}
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return [value(kind.value_type, number)] * (number % 3)
    if pa.types.is_fixed_size_list(kind):
        return [value(kind.value_type, number)] * kind.list_size
    if pa.types.is_timestamp(kind):
        return EPOCH + datetime.timedelta(days=number, milliseconds=number if kind.unit != "s" else 0)
    if pa.types.is_date(kind):
        return EPOCH.date() + datetime.timedelta(days=number)
    if pa.types.is_boolean(kind):
        return number % 2 == 0
    if pa.types.is_binary(kind):
        return f"{number:05} \0\xff".encode("latin-1")
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return f"{number:05} é\n\0\U0001f600"
    if pa.types.is_floating(kind):
        return number + 0.5
    assert pa.types.is_integer(kind), f"a value for {kind} has to be made up here"
    return number % 100


def rows_of(table, count):
    """Rows with a null wherever one may be, now and then."""
    rows = [{c.name: value(c.type, number) for c in table.columns} for number in range(count)]
    for at, column in enumerate(table.columns):
        for number in range(at % 3, count, 3):
            if column.null:
                rows[number][column.name] = None
    return rows


def test_each_table_is_declared_once():
    assert len(DECLARED) >= 3 and len({table.name for table in TABLES}) == len(TABLES)


@every_table
def test_a_table_is_described_has_plain_names_and_a_key_that_is_never_null_and_has_an_order(table):
    for text in (table.row, *(column.description for column in table.columns)):
        assert len(text) > 5 and text == text.strip() and "\n" not in text
    assert table.row[0].isupper() and table.row.endswith(".")
    names = table.schema.names
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() and name == name.lower() and name.isascii() for name in [table.name, *names])
    assert table.key and len(set(table.key)) == len(table.key)
    kinds = pa.types
    ordered = (kinds.is_string, kinds.is_integer, kinds.is_boolean, kinds.is_timestamp, kinds.is_date)
    for name in table.key:
        field = table.schema.field(name)
        assert not field.nullable and any(is_kind(field.type) for is_kind in ordered)


@every_table
def test_types_and_values_survive_parquet_and_are_written_again_as_the_same_bytes(tmp_path, table):
    for count in (0, 100):
        rows = rows_of(table, count)
        assert write(table, tmp_path / "a", reversed(rows)) == count
        whole = read(table, tmp_path / "a")
        assert whole.schema.equals(table.schema, check_metadata=True)
        assert [field.type for field in whole.schema] == [column.type for column in table.columns]
        assert whole.to_pylist() == sorted(rows, key=lambda row: [row[name] for name in table.key])
        assert pa.Table.from_batches(batches(table, tmp_path / "a"), table.schema).equals(whole)
        write(table, tmp_path / "b", whole)
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@every_table
def test_nulls_and_types_are_checked(tmp_path, table):
    """In the first column that may be null and in the first that may not; other tests hold the check of each column."""
    for column in {c.null: c for c in reversed(table.columns)}.values():
        rows = [*rows_of(table, 3), rows_of(table, 4)[3] | {column.name: None}]
        if column.null:
            assert write(table, tmp_path / column.name, rows) == 4
        else:
            with pytest.raises(TableError, match=f"column {column.name} of table {table.name}"):
                write(table, tmp_path / column.name, rows)
        kind = pa.int64() if column.type == pa.string() else pa.string()
        other = [c if c is not column else type(c)(c.name, kind, c.description, c.null) for c in table.columns]
        write(Table(table.name, table.row, table.key, tuple(other)), tmp_path / "a", [])
        with pytest.raises(TableError, match=f"column {column.name} of table {table.name} is {kind}"):
            read(table, tmp_path / "a")


def test_a_section_writes_rows_of_its_study_and_nan_is_no_number():
    section = Section("responses")
    row = section.row("cells", {"b": 1, "a": "x"}, "accuracy", np.float64(0.5), np.int64(4), math.nan, 1, 2)
    assert row == metric("responses", "cells", {"a": "x", "b": "1"}, "accuracy", 0.5, 4, None, 1.0, 2)
    assert (row["keys"], row["low"], row["high"], row["n"]) == ('{"a": "x", "b": "1"}', None, 1.0, 4)
    assert section.row("cells", {}, "mean", math.nan, 0)["value"] is None


def test_numbers_without_n_are_counts_of_as_many_items():
    section = Section("scope")
    counts = list(section.rows("steps", {}, {"kept": 3, "none": 0}))
    assert [(row["metric"], row["value"], row["n"]) for row in counts] == [("kept", 3.0, 3), ("none", 0.0, 0)]
    assert [row["n"] for row in section.rows("steps", {}, {"kept": 3, "none": 0}, 9)] == [9, 9]

"""Every declared table, found by its module: its names and key make sense, and its types survive Parquet exactly."""

import datetime
import importlib
import pkgutil

import pyarrow as pa
import pytest

from ragassay import schemas
from ragassay.base.tables import REJECTS, Table, TableError, batches, read, write

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


def test_there_are_tables():
    assert len(DECLARED) >= 3


def test_each_table_is_declared_once():
    assert len({table.name for table in TABLES}) == len(TABLES)


@every_table
def test_a_table_and_its_columns_are_described(table):
    for text in (table.row, *(column.description for column in table.columns)):
        assert len(text) > 5 and text == text.strip() and "\n" not in text
    assert table.row[0].isupper() and table.row.endswith(".")


@every_table
def test_names_are_plain_and_each_comes_once(table):
    names = table.schema.names
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() and name == name.lower() and name.isascii() for name in [table.name, *names])


@every_table
def test_the_key_is_of_columns_that_are_never_null_and_have_an_order(table):
    assert table.key and len(set(table.key)) == len(table.key)
    for name in table.key:
        field = table.schema.field(name)
        assert not field.nullable
        kinds = pa.types
        ordered = (kinds.is_string, kinds.is_integer, kinds.is_boolean, kinds.is_timestamp, kinds.is_date)
        assert any(is_kind(field.type) for is_kind in ordered)


@every_table
@pytest.mark.parametrize("count", [0, 100])
def test_types_and_values_survive_parquet(tmp_path, table, count):
    rows = rows_of(table, count)
    assert write(table, tmp_path / "a", reversed(rows)) == count
    found = read(table, tmp_path / "a")
    assert found.schema.equals(table.schema, check_metadata=True)
    assert [field.type for field in found.schema] == [column.type for column in table.columns]
    assert found.to_pylist() == sorted(rows, key=lambda row: [row[name] for name in table.key])
    assert pa.Table.from_batches(batches(table, tmp_path / "a"), table.schema).equals(found)


@every_table
def test_what_is_read_can_be_written_again_as_the_same_bytes(tmp_path, table):
    write(table, tmp_path / "a", rows_of(table, 100))
    write(table, tmp_path / "b", read(table, tmp_path / "a"))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@every_table
def test_a_null_is_refused_where_none_may_be(tmp_path, table):
    for column in table.columns:
        rows = [*rows_of(table, 3), rows_of(table, 4)[3] | {column.name: None}]
        if column.null:
            assert write(table, tmp_path / column.name, rows) == 4
        else:
            with pytest.raises(TableError, match=f"column {column.name} of table {table.name}"):
                write(table, tmp_path / column.name, rows)


@every_table
def test_every_column_is_checked_when_a_file_is_read(tmp_path, table):
    for column in table.columns:
        kind = pa.int64() if column.type == pa.string() else pa.string()
        other = [c if c is not column else type(c)(c.name, kind, c.description, c.null) for c in table.columns]
        changed = Table(table.name, table.row, table.key, tuple(other))
        write(changed, tmp_path / "a", [])
        with pytest.raises(TableError, match=f"column {column.name} of table {table.name} is {kind}"):
            read(table, tmp_path / "a")

"""Reading tables: whole, in part or piece by piece; whatever else a file is, the error names it and says what to do."""

import types

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ragassay.base import tables
from ragassay.base.tables import BATCH_ROWS, OPTIONS, REJECTS, Table, TableError, batches, read, read_all, write
from rows import THING, THINGS, arrow, things

# Without lists: the header of a list's page, which no checksum covers, can lose values without a trace.
FLAT = Table("flat", "One row per thing.", ("name",), tuple(c for c in THINGS.columns if c.name != "marks"))


def flat(count):
    return arrow([row | {"kind": "tool"} for row in things(count)]).drop_columns("marks")


def read_batches(table, path, columns=None):
    """Everything that `batches` gives, as one table."""
    return pa.Table.from_batches(batches(table, path, columns), table.schema if columns is None else None)


def read_several(table, path, columns=None):
    return read_all(table, [path], columns)


@pytest.fixture(params=[read, read_several, read_batches])
def reader(request):
    return request.param


@pytest.fixture
def path(tmp_path):
    return tmp_path / "things.parquet"


def refusal(reader, table, path):
    """What the error says, which must name the file and a remedy."""
    with pytest.raises(TableError) as caught:
        reader(table, path)
    said = str(caught.value)
    assert str(path) in said and ("run again" in said or "run the rule" in said) and "\n" not in said
    return said


def test_columns_come_in_the_order_asked_for(path, reader):
    write(THINGS, path, things(20))
    found = reader(THINGS, path, ["seen", "name"])
    assert found.column_names == ["seen", "name"]
    assert found.equals(read(THINGS, path).select(["seen", "name"]))


def test_a_column_that_no_table_declares_is_refused(path, reader):
    write(THINGS, path, things(20))
    with pytest.raises(TableError, match=r"unknown column colour asked for.*things"):
        reader(THINGS, path, ["name", "colour"])


def test_files_are_read_in_their_order(tmp_path):
    paths = [tmp_path / name for name in "cab"]
    for number, path in enumerate(paths):
        write(THINGS, path, [THING | {"count": number}])
    assert read_all(THINGS, paths, ["count"])["count"].to_pylist() == [0, 1, 2]
    assert read_all(THINGS, iter(paths)).schema.equals(THINGS.schema)


@pytest.mark.parametrize("columns", [None, ["seen", "name"]])
def test_no_files_are_a_table_without_rows(columns):
    found = read_all(THINGS, [], columns)
    assert found.num_rows == 0 and found.column_names == (columns or THINGS.schema.names)


def test_batches_stream(path):
    count = 40 * BATCH_ROWS
    numbers = pa.array(range(count)).cast(pa.string())
    row = arrow([THING]).drop_columns("name")
    rows = pa.table({"name": numbers} | {name: pa.repeat(row[name][0], count) for name in row.column_names})
    write(THINGS, path, rows)
    whole, before, seen, most = rows.nbytes, pa.total_allocated_bytes(), 0, 0
    found = batches(THINGS, path)
    assert isinstance(found, types.GeneratorType)
    for batch in found:
        assert 0 < batch.num_rows <= BATCH_ROWS
        seen += batch.num_rows
        most = max(most, pa.total_allocated_bytes() - before)
    assert seen == count and most < whole / 4


def test_an_error_of_who_takes_the_batches_is_not_the_files(path):
    write(THINGS, path, things(20))
    with pytest.raises(OSError, match="disk full"):
        for _ in batches(THINGS, path):
            raise OSError("disk full")


def test_a_missing_file_is_refused(path, reader):
    assert "no such file; run the rule that writes table things" in refusal(reader, THINGS, path)


OTHER_FILES = [b"", b"PAR1", b"PAR1PAR1", b"\0" * 1000, b"name,count\n", b"PAR1\xff\xff\xff\xffPAR1"]


@pytest.mark.parametrize("content", OTHER_FILES)
def test_a_file_of_another_kind_is_refused(path, reader, content):
    path.write_bytes(content)
    assert "not a Parquet file" in refusal(reader, THINGS, path)


def test_a_folder_is_refused(tmp_path, reader):
    refusal(reader, THINGS, tmp_path)


def test_a_file_cut_short_anywhere_is_refused(path, reader, monkeypatch):
    monkeypatch.setattr(tables, "ROW_GROUP", 16)
    write(FLAT, path, flat(40))
    whole = path.read_bytes()
    for length in range(0, len(whole), 3):
        path.write_bytes(whole[:length])
        refusal(reader, FLAT, path)
    for length in (1, len(whole) // 2):
        path.write_bytes(whole[length:])
        refusal(reader, FLAT, path)


def test_no_flipped_bit_changes_a_value(path, monkeypatch):
    monkeypatch.setattr(tables, "ROW_GROUP", 16)
    write(FLAT, path, flat(20))
    whole, wanted, refused = path.read_bytes(), read(FLAT, path), 0
    for at in range(len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << at % 8
        path.write_bytes(damaged)
        reader = (read, read_batches)[at // 8 % 2]
        try:
            assert reader(FLAT, path).equals(wanted), f"bit {at % 8} of byte {at}"
        except TableError as error:
            assert str(path) in str(error) and "run again" in str(error)
            refused += 1
    assert len(whole) / 2 < refused < len(whole)


def store(path, schema):
    """A sound Parquet file of another schema, with one row."""
    values = THING | {"seen": None, "marks": None}
    columns = [pa.array([values.get(field.name, "0")]).cast(field.type) for field in schema]
    pq.write_table(pa.Table.from_arrays(columns, schema=schema), path, **OPTIONS)


SCHEMA = THINGS.schema
OTHERS = [
    (SCHEMA.remove(2), "missing column count for table things"),
    (SCHEMA.append(pa.field("colour", pa.string())), "unknown column colour for table things"),
    (SCHEMA.set(0, pa.field("Name", pa.string())), "missing column name and unknown column Name"),
    (SCHEMA.append(SCHEMA.field(2)), "repeated column count"),
    (SCHEMA.set(2, pa.field("count", pa.int64(), False)), "column count of table things is int64"),
    (SCHEMA.set(2, pa.field("count", pa.string(), False)), "column count of table things is string"),
    (SCHEMA.set(4, pa.field("seen", pa.timestamp("us", tz="UTC"))), "column seen of table things is timestamp"),
    (SCHEMA.set(4, pa.field("seen", pa.timestamp("ms"))), "column seen of table things is timestamp"),
    (SCHEMA.set(5, pa.field("marks", pa.list_(pa.float64()))), "column marks of table things is list"),
    (SCHEMA.set(2, pa.field("count", pa.int32())), "count of table things is int32, expected int32 without nulls"),
    (REJECTS.schema, "missing column count, kind, marks, name, score, seen and unknown column detail"),
]


@pytest.mark.parametrize(("schema", "said"), OTHERS, ids=[said for _, said in OTHERS])
def test_another_schema_is_refused_with_the_column(path, reader, schema, said):
    store(path, schema)
    assert said in refusal(reader, THINGS, path)


def test_a_file_of_the_same_schema_from_elsewhere_is_read(path, reader):
    store(path, SCHEMA)
    assert reader(THINGS, path)["name"].to_pylist() == ["spoon"]


def test_columns_in_another_order_are_read_in_that_of_the_table(path, reader):
    store(path, pa.schema(list(SCHEMA)[::-1]))
    assert reader(THINGS, path).schema.equals(SCHEMA)


def test_a_wrong_column_is_found_though_others_are_asked_for(path):
    store(path, SCHEMA.remove(2))
    with pytest.raises(TableError, match="missing column count"):
        read(THINGS, path, ["name"])

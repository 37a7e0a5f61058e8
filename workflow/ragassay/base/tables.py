"""Every table of the pipeline is a Parquet file with a schema: declared, checked, sorted, written whole or not at
all. The same rows always give the same bytes, in whatever order and pieces they come. Rows that do not fit in memory
are sorted on disk. `each` and `frame` read many files and say of each which keys stand in its path."""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ragassay.base._declaration import (
    NUMBERS,
    POISONED,
    REJECTS,
    STRINGS,
    TIME,
    Column,
    Table,
    TableError,
    difference,
    fits,
    key_names,
    keys,
)
from ragassay.base._sorted_runs import SortedRuns
from ragassay.base.atomic import replacing

__all__ = [
    "BATCH_ROWS",
    "NUMBERS",
    "OPTIONS",
    "POISONED",
    "REJECTS",
    "STRINGS",
    "TIME",
    "Column",
    "Table",
    "TableError",
    "Writer",
    "batches",
    "by_keys",
    "by_shard",
    "each",
    "frame",
    "key_names",
    "keys",
    "read",
    "read_all",
    "write",
]

ROW_GROUP = 32_768
BATCH_ROWS = 8_192
OPTIONS = {
    "version": "2.6",
    "data_page_version": "1.0",
    "compression": "zstd",
    "compression_level": 3,
    "write_page_checksum": True,  # else a flipped bit is read as another value
}
IN_FRAMES = {pa.bool_(): "boolean", pa.int32(): "Int32", pa.int64(): "Int64"}  # with nulls
REFUSED = (pa.ArrowException, OSError, ValueError, OverflowError)  # what pyarrow raises for bad values and bad files


def write(table: Table, path, rows: Iterable[dict] | pa.Table | pa.RecordBatch) -> int:
    """Write all rows to `path`, atomically; return how many there were."""
    with Writer(table, path) as writer:
        if isinstance(rows, pa.Table | pa.RecordBatch):
            writer.write(rows)
        else:
            for row in rows:
                writer.add(row)
    return writer.written


class Writer:
    """Write a table piece by piece, in any order, in bounded memory; the file appears when the block ends well."""

    def __init__(self, table: Table, path):
        self.table, self.path, self.written = table, Path(path), 0
        self._schema, self._pending = table.schema, []
        self._runs = SortedRuns(self._schema, table.key, self.path)

    def __enter__(self):
        return self

    def write(self, rows: pa.Table | pa.RecordBatch) -> None:
        """Take many rows at once."""
        rows = pa.Table.from_batches([rows]) if isinstance(rows, pa.RecordBatch) else rows
        self._runs.add(self._checked(rows))

    def add(self, row: dict) -> None:
        """Take one row."""
        self._pending.append(row)
        if len(self._pending) == (self.table.group or BATCH_ROWS):
            self._flush()

    def _flush(self):
        rows, self._pending = self._pending, []
        if rows:
            self.write(self._from_dicts(rows))

    def __exit__(self, kind, *_):
        with contextlib.closing(self._runs):
            if kind is None:
                self._flush()
                with replacing(self.path) as target, pq.ParquetWriter(target, self._schema, **OPTIONS) as parquet:
                    for group in self._groups(self._runs.merged()):
                        parquet.write_table(group, row_group_size=self.table.group or ROW_GROUP)
                        self.written += group.num_rows

    def _from_dicts(self, rows):
        names = set(self._schema.names)
        for row in rows:
            if row.keys() != names:
                raise TableError(
                    f"{self.path}: {difference(row.keys(), names)} in a row for table {self.table.name}: {row!r:.200}"
                )
        return pa.table({name: self._array(name, [row[name] for row in rows]) for name in self._schema.names})

    def _array(self, name, values):
        try:
            array = pa.array(values)
        except REFUSED as error:
            raise self._wrong(name, error) from error
        if pa.types.is_floating(array.type) and any(isinstance(value, bool) for value in values):
            raise self._wrong(name, "found a truth value among numbers")  # else it would depend on which comes first
        return array

    def _checked(self, rows):
        if sorted(rows.column_names) != sorted(self._schema.names):
            given = difference(rows.column_names, self._schema.names)
            raise TableError(f"{self.path}: {given} in rows for table {self.table.name}")
        columns = []
        for field in self._schema:
            given = rows[field.name]
            if not fits(given.type, field.type):
                raise self._wrong(field.name, f"found {given.type}, expected {field.type}")
            try:
                column = given.cast(field.type)
            except REFUSED as error:
                raise self._wrong(field.name, error) from error
            if column.null_count and not field.nullable:
                raise self._wrong(field.name, "found a null, expected a value")
            if field.name == self.table.clean:
                self._refuse_poison(column)
            columns.append(column)
        return pa.Table.from_arrays(columns, schema=self._schema)

    def _refuse_poison(self, column):
        at = pc.index(pc.match_substring_regex(column, POISONED), True).as_py()
        if at >= 0:
            expected = "expected none here; remove what was planted from the files that are searched"
            raise self._wrong(self.table.clean, f"found {column[at].as_py()}, which an attack made, {expected}")

    def _wrong(self, name, reason):
        return TableError(f"{self.path}: column {name} of table {self.table.name}: {reason}")

    def _groups(self, pieces) -> Iterator[pa.Table]:
        """Cut sorted pieces into row groups of exactly as many rows, each in one chunk, and refuse repeated keys."""
        last, held, size = None, [], self.table.group or ROW_GROUP
        rows = 0
        for piece in pieces:
            last = self._distinct(piece, last)
            while rows + piece.num_rows >= size:
                cut = size - rows
                yield pa.concat_tables([*held, piece.slice(0, cut)]).combine_chunks()
                piece, held, rows = piece.slice(cut), [], 0
            if piece.num_rows:
                held.append(piece)
                rows += piece.num_rows
        if rows:
            yield pa.concat_tables(held).combine_chunks()

    def _distinct(self, piece, last):
        """Raise if two neighbours have the same key; return the key of the last row."""
        keys = piece.select(list(self.table.key)).combine_chunks()
        first = tuple(keys.slice(0, 1).to_pylist()[0].values())
        same = None
        for column in keys.columns:
            equal = pc.equal(column.slice(1), column.slice(0, len(column) - 1))
            same = equal if same is None else pc.and_(same, equal)
        twice = pc.index(same, True).as_py()
        if first == last or twice >= 0:
            repeated = keys.slice(max(twice, 0), 1).to_pylist()[0]
            raise TableError(f"{self.path}: two rows of table {self.table.name} have the same key {repeated}")
        return tuple(keys.slice(keys.num_rows - 1, 1).to_pylist()[0].values())


def read(table: Table, path, columns: Iterable[str] | None = None) -> pa.Table:
    """The whole table, or some of its columns in the order asked for, checked against its schema."""
    names = _names(table, path, columns)
    with _open(table, path) as parquet:
        return parquet.read(columns=names, use_threads=parquet.metadata.num_rows > BATCH_ROWS)


def read_all(table: Table, paths: Iterable, columns: Iterable[str] | None = None) -> pa.Table:
    """The rows of several files of one table, in the order of the files; an empty table if there is no file."""
    names = _names(table, "no file", columns)
    parts = [read(table, path, names) for path in paths]
    return pa.concat_tables(parts) if parts else table.schema.empty_table().select(names)


def each(table: Table, paths: Iterable, columns: Iterable[str] | None = None) -> Iterator[tuple[dict, pa.Table]]:
    """The keys in the path of each file, such as generator and shard, and its rows."""
    for path in paths:
        yield keys(table, path), read(table, path, columns)


def by_keys(table: Table, paths: Iterable, names: Iterable[str], columns: Iterable[str] | None = None):
    """Rows of all files, by the values of some keys of their paths; files keep their order."""
    parts = {}
    for values, rows in each(table, paths, columns):
        parts.setdefault(tuple(values[name] for name in names), []).append(rows)
    return {values: pa.concat_tables(of_keys) for values, of_keys in parts.items()}


def by_shard(files: dict[Table, Iterable]) -> dict[str, dict[Table, list]]:
    """shard -> table -> its files of that shard, from files of tables that have a shard in their paths."""
    shards = {
        keys(table, path)["shard"]: {of_shard: [] for of_shard in files} for table in files for path in files[table]
    }
    for table, paths in files.items():
        for path in paths:
            shards[keys(table, path)["shard"]][table].append(path)
    return shards


def frame(table: Table, paths: Iterable, columns: Iterable[str] | None = None, where: pc.Expression | None = None):
    """The rows of several files as one pandas frame, with the keys of their paths as columns of text in front; only
    those `where` something holds, if it is given.

    A column that bears the name of a key gives way to it. Types do not depend on the rows: where a column may be empty,
    whole numbers are `Int32` or `Int64`, truth values `boolean`, and nothing is `pandas.NA`; elsewhere nothing is NaN.
    """
    names = [name for name in _names(table, "no file", columns) if name not in key_names(table)]
    parts = [_with_keys(dict.fromkeys(key_names(table), ""), table.schema.empty_table().select(names))]
    for values, rows in each(table, paths, names):
        parts.append(_with_keys(values, rows if where is None else rows.filter(where)))
    rows = pa.concat_tables(parts).to_pandas(integer_object_nulls=True)  # text is `str`
    kinds = {c.name: IN_FRAMES[c.type] for c in table.columns if c.name in names and c.null and c.type in IN_FRAMES}
    return rows.astype(kinds) if kinds else rows


def _with_keys(values, rows):
    """The rows with a column in front for each key of their path."""
    keys = {name: pa.repeat(pa.scalar(value, pa.string()), rows.num_rows) for name, value in values.items()}
    return pa.table(keys | dict(zip(rows.column_names, rows.columns, strict=True)))


def batches(table: Table, path, columns: Iterable[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The table piece by piece, for tables larger than memory."""
    names = _names(table, path, columns)
    with _open(table, path) as parquet:
        yield from parquet.iter_batches(table.group or BATCH_ROWS, columns=names)


def _names(table, path, columns):
    names = table.schema.names if columns is None else list(columns)
    if unknown := sorted(set(names) - set(table.schema.names)):
        raise TableError(f"{path}: unknown column {', '.join(unknown)} asked for; table {table.name} declares no such")
    return names


@contextlib.contextmanager
def _open(table, path):
    path = Path(path)
    try:
        with pq.ParquetFile(path, pre_buffer=False, page_checksum_verification=True) as parquet:
            _check(table, parquet, path)
            yield parquet
    except FileNotFoundError as error:
        raise TableError(f"{path}: no such file; run the rule that writes table {table.name}") from error
    except REFUSED as error:
        reason = str(error).strip().split("\n")[0]
        raise TableError(f"{path}: damaged or not a Parquet file ({reason}); delete it and run again") from error


def _check(table, parquet, path):
    remedy = "delete the file and run again, so that it is written by this version"
    stored, wanted, numbers = parquet.schema_arrow, table.schema, parquet.metadata
    if numbers.num_rows != sum(numbers.row_group(group).num_rows for group in range(numbers.num_row_groups)):
        raise TableError(f"{path}: damaged (its counts of rows disagree); delete it and run again")
    if sorted(stored.names) != sorted(wanted.names):
        raise TableError(f"{path}: {difference(stored.names, wanted.names)} for table {table.name}; {remedy}")
    for field in wanted:
        kind = stored.field(field.name)
        if (kind.type, kind.nullable) != (field.type, field.nullable):
            raise TableError(
                f"{path}: column {field.name} of table {table.name} is {_form(kind)}, expected {_form(field)}; {remedy}"
            )


def _form(field):
    return f"{field.type}{'' if field.nullable else ' without nulls'}"

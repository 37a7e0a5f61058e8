"""Every table of the pipeline is a Parquet file with a schema: declared, checked, sorted, written whole or not at all.

A `Table` names its columns and its primary key; one module in `ragassay/schemas` declares one table, so that a new
table or column re-runs only the rules that use it. The same rows always give the same bytes: sorted by primary key,
fixed writer options, row groups of fixed size, whatever the chunking, the number of threads or the locale. Rows may
come in any order and in any number: what does not fit in memory is sorted in runs on disk (see `ragassay.runs`) and
merged.

Not here: what the tables mean (`ragassay/schemas`), and digests of published tables.
"""

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ragassay.atomic import replacing
from ragassay.errors import AssayError
from ragassay.runs import SortedRuns

ROW_GROUP = 32_768
BATCH_ROWS = 8_192
OPTIONS = {"version": "2.6", "data_page_version": "1.0", "compression": "zstd", "compression_level": 3}


class TableError(AssayError):
    """A file is not the table that was expected, or rows do not fit their table."""


@dataclass(frozen=True)
class Column:
    name: str
    type: pa.DataType
    description: str
    null: bool = False


@dataclass(frozen=True)
class Table:
    """One table: its name, what a row is, its columns, and the columns that identify a row and give the order."""

    name: str
    row: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([pa.field(c.name, c.type, nullable=c.null) for c in self.columns])


REJECTS = Table(
    "rejects",
    "One row per item that a stage could not use; rows in = rows out + rejects, in every stage.",
    key=("shard", "item"),
    columns=(
        Column("stage", pa.string(), "the rule that refused the item"),
        Column("shard", pa.string(), "the shard the item belongs to"),
        Column("item", pa.string(), "the item: an id, or file and row of something that never got one"),
        Column("reason", pa.string(), "one word or two from a fixed list, for counting"),
        Column("detail", pa.string(), "what was found and what was expected, for a person"),
    ),
)


def write(table: Table, path, rows: Iterable[dict] | pa.Table) -> int:
    """Write all rows to `path`, atomically; return how many there were."""
    with Writer(table, path) as writer:
        if isinstance(rows, pa.Table):
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
        if len(self._pending) == BATCH_ROWS:
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
                        parquet.write_table(group, row_group_size=ROW_GROUP)
                        self.written += group.num_rows

    def _from_dicts(self, rows):
        names = set(self._schema.names)
        for row in rows:
            if row.keys() != names:
                raise TableError(
                    f"{self.path}: {_difference(row.keys(), names)} in a row for table {self.table.name}: {row!r:.200}"
                )
        try:
            return pa.Table.from_pylist(rows, schema=self._schema)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise TableError(f"{self.path}: a row does not fit table {self.table.name}: {error}") from error

    def _checked(self, rows):
        if set(rows.column_names) != set(self._schema.names):
            difference = _difference(rows.column_names, self._schema.names)
            raise TableError(f"{self.path}: {difference} in rows for table {self.table.name}")
        columns = []
        for field in self._schema:
            try:
                column = rows[field.name].cast(field.type)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                raise TableError(f"{self.path}: column {field.name} of table {self.table.name}: {error}") from error
            if column.null_count and not field.nullable:
                raise TableError(
                    f"{self.path}: column {field.name} of table {self.table.name} has a null; a value is expected"
                )
            columns.append(column)
        return pa.Table.from_arrays(columns, schema=self._schema)

    def _groups(self, pieces) -> Iterator[pa.Table]:
        """Cut sorted pieces into row groups of exactly ROW_GROUP rows in one chunk, and refuse repeated keys."""
        last, held = None, []
        rows = 0
        for piece in pieces:
            last = self._distinct(piece, last)
            while rows + piece.num_rows >= ROW_GROUP:
                cut = ROW_GROUP - rows
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
            found = keys.slice(max(twice, 0), 1).to_pylist()[0]
            raise TableError(f"{self.path}: two rows of table {self.table.name} have the same key {found}")
        return tuple(keys.slice(keys.num_rows - 1, 1).to_pylist()[0].values())


def read(table: Table, path, columns: Iterable[str] | None = None) -> pa.Table:
    """The whole table, or some of its columns, checked against its schema."""
    with _open(table, path) as parquet:
        return _arrow(parquet, columns)


def read_all(table: Table, paths: Iterable, columns: Iterable[str] | None = None) -> pa.Table:
    """The rows of several files of one table, in the order of the files; an empty table if there is no file."""
    names = list(columns) if columns else table.schema.names
    parts = [read(table, path, names) for path in paths]
    return pa.concat_tables(parts) if parts else table.schema.empty_table().select(names)


def batches(table: Table, path, columns: Iterable[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The table piece by piece, for tables larger than memory."""
    with _open(table, path) as parquet:
        yield from parquet.iter_batches(BATCH_ROWS, columns=list(columns) if columns else None)


@contextlib.contextmanager
def _open(table, path):
    path = Path(path)
    try:
        parquet = pq.ParquetFile(path, pre_buffer=False)
    except FileNotFoundError as error:
        raise TableError(f"{path}: no such file; run the rule that writes table {table.name}") from error
    except pa.ArrowInvalid as error:
        reason = str(error).splitlines()[0]
        raise TableError(f"{path}: not a whole Parquet file ({reason}); delete it and run again") from error
    with parquet:
        _check(table, parquet.schema_arrow, path)
        try:
            yield parquet
        except (pa.ArrowInvalid, OSError) as error:
            raise TableError(f"{path}: damaged ({str(error).splitlines()[0]}); delete it and run again") from error


def _arrow(parquet, columns):
    return parquet.read(columns=list(columns) if columns else None)


def _check(table, found, path):
    remedy = "delete the file and run again, so that it is written by this version"
    wanted = table.schema
    if set(found.names) != set(wanted.names):
        raise TableError(f"{path}: {_difference(found.names, wanted.names)} for table {table.name}; {remedy}")
    for field in wanted:
        kind = found.field(field.name).type
        if kind != field.type:
            raise TableError(
                f"{path}: column {field.name} of table {table.name} is {kind}, expected {field.type}; {remedy}"
            )


def _difference(found, wanted):
    missing, extra = sorted(set(wanted) - set(found)), sorted(set(found) - set(wanted))
    parts = [f"missing column {', '.join(missing)}"] if missing else []
    return " and ".join(parts + ([f"unknown column {', '.join(extra)}"] if extra else []))

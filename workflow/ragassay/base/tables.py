"""Every table of the pipeline is a Parquet file with a schema: declared, checked, sorted, written whole or not at all.

A `Table` names its columns, its primary key and its place; `ragassay/schemas` declares those of each study in one
module. The same rows always give the same bytes: sorted by primary key, fixed writer options, row groups of fixed size,
whatever the chunking, the number of threads or the locale. Rows may come in any order and in any number: what does not
fit in memory is sorted in runs on disk (see `_sorted_runs`) and merged. `each` and `frame` read many files and say of
each which keys stand in its path.

Not here: what the tables mean (`ragassay/schemas`), and digests of published tables.
"""

import contextlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ragassay.base._sorted_runs import SortedRuns
from ragassay.base.atomic import replacing
from ragassay.base.errors import AssayError

# Values go into a column in another width or unit of its kind, if none is lost; a time without a zone is in UTC.
KINDS = (
    (pa.types.is_integer, pa.types.is_floating),
    (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view),
    (pa.types.is_timestamp,),
)
STRINGS = pa.list_(pa.field("element", pa.string()))
NUMBERS = pa.list_(pa.field("element", pa.float64()))
TIME = pa.timestamp("ms", tz="UTC")
POISONED = "^poison-[0-9a-f]{16}"  # how ids of passages begin that an attack made
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


class TableError(AssayError):
    """A file is not the table that was expected, or rows do not fit their table."""


@dataclass(frozen=True)
class Column:
    """One column. If it holds texts, `text` says whose they are, on which a release depends:

    site            of the row's site, else of its shard
    document        of the document that the row names
    key             of the last key in the path of its file, such as a corpus or a set of queries
    everybody       of several, which the row does not name
    ours            of models and people who worked for the study; they may repeat runs of others' texts
    poison          of an attacker who wants it to be read

    `refers` is the column of another table, `documents.doc_id`, in which each of its values stands.
    """

    name: str
    type: pa.DataType
    description: str
    null: bool = False
    text: str | None = None
    refers: str | None = None


@dataclass(frozen=True)
class Table:
    """One table: its name, what a row is, its columns, and the columns that identify a row and give the order.

    `path` is the place of its files below `results/`, without `.parquet` and with its keys in braces, such as
    `claims/{generator}/{shard}`; None if rules put them in several places. `clean` is a column of passages, of which
    the table refuses those that an attack made. `release` says what becomes of it in a release; a
    table must have it unless its columns say whose texts they hold:

    whole           it holds no texts
    poisoned        it goes along only with export.poisoned
    vectors         it goes along only with release.vectors
    never           people gave it, or others own it
    """

    name: str
    row: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    group: int | None = None  # rows that are held at a time, in memory and in the file, if rows are large
    path: str | None = None
    clean: str | None = None
    release: str | None = None

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([pa.field(c.name, c.type, nullable=c.null) for c in self.columns])


REJECTS = Table(
    "rejects",
    "One row per item that a stage could not use; rows in = rows out + rejects, in every stage.",
    key=("shard", "item"),
    columns=(
        Column("stage", pa.string(), "the rule that rejected the item"),
        Column("shard", pa.string(), "the shard the item belongs to"),
        Column("item", pa.string(), "the item: an id, or file and row of something that never got one"),
        Column("reason", pa.string(), "one word or two from a fixed list, for counting"),
        Column("detail", pa.string(), "what was found and what was expected, for a person"),
    ),
    release="whole",
)


def key_names(table: Table) -> list[str]:
    """The names of the keys in the path of the table's files, in its order."""
    return re.findall(r"{(\w+)}", table.path or "")


def keys(table: Table, path) -> dict[str, str]:
    """The values of the keys in the path of one of the table's files, in the order of the path."""
    match = table.path and _form_of_path(table.path).fullmatch(Path(path).as_posix().replace("\\", "/"))
    if not match:
        expected = f"expected .../{table.path}.parquet" if table.path else "which has no path of its own"
        raise TableError(f"{path}: no path of table {table.name}, {expected}; give the file of that table")
    return match.groupdict()


@cache
def _form_of_path(path):
    """A key is what stands between two separators, or next to other letters of a name, where it may be empty."""
    text = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]*)", re.escape(path))
    return re.compile(rf"(?:.*/)?{text}\.parquet")


def _fits(given, wanted):
    if pa.types.is_dictionary(given):
        return _fits(given.value_type, wanted)
    if _is_list(given) and _is_list(wanted):
        return _fits(given.value_type, wanted.value_type)
    alike = (any(is_kind(given) for is_kind in kind) and any(is_kind(wanted) for is_kind in kind) for kind in KINDS)
    return given == wanted or pa.types.is_null(given) or any(alike)


def _is_list(type_):
    return pa.types.is_list(type_) or pa.types.is_large_list(type_) or pa.types.is_fixed_size_list(type_)


def _difference(found, wanted):
    found = list(found)
    missing, extra = sorted(set(wanted) - set(found)), sorted(set(found) - set(wanted))
    twice = sorted({name for name in found if found.count(name) > 1} & set(wanted))
    parts = zip(("missing", "unknown", "repeated"), (missing, extra, twice), strict=True)
    return " and ".join(f"{what} column {', '.join(names)}" for what, names in parts if names)


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
                    f"{self.path}: {_difference(row.keys(), names)} in a row for table {self.table.name}: {row!r:.200}"
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
            given = _difference(rows.column_names, self._schema.names)
            raise TableError(f"{self.path}: {given} in rows for table {self.table.name}")
        columns = []
        for field in self._schema:
            given = rows[field.name]
            if not _fits(given.type, field.type):
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
        return parquet.read(columns=names)


def read_all(table: Table, paths: Iterable, columns: Iterable[str] | None = None) -> pa.Table:
    """The rows of several files of one table, in the order of the files; an empty table if there is no file."""
    names = _names(table, "no file", columns)
    parts = [read(table, path, names) for path in paths]
    return pa.concat_tables(parts) if parts else table.schema.empty_table().select(names)


def each(table: Table, paths: Iterable, columns: Iterable[str] | None = None) -> Iterator[tuple[dict, pa.Table]]:
    """The keys in the path of each file, such as generator and shard, and its rows."""
    for path in paths:
        yield keys(table, path), read(table, path, columns)


def frame(table: Table, paths: Iterable, columns: Iterable[str] | None = None):
    """All rows of several files as one pandas frame, with the keys of their paths as columns of text in front.

    A column that bears the name of a key gives way to it. Types do not depend on the rows: where a column may be empty,
    whole numbers are `Int32` or `Int64`, truth values `boolean`, and nothing is `pandas.NA`; elsewhere nothing is NaN.
    """
    names = [name for name in _names(table, "no file", columns) if name not in key_names(table)]
    parts = [_with_keys(dict.fromkeys(key_names(table), ""), table.schema.empty_table().select(names))]
    parts += [_with_keys(values, rows) for values, rows in each(table, paths, names)]
    rows = pa.concat_tables(parts)
    kinds = {name: "str" for name in rows.column_names if rows.schema.field(name).type == pa.string()}
    kinds |= {c.name: IN_FRAMES[c.type] for c in table.columns if c.name in names and c.null and c.type in IN_FRAMES}
    return rows.to_pandas(integer_object_nulls=True).astype(kinds)


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
        raise TableError(f"{path}: {_difference(stored.names, wanted.names)} for table {table.name}; {remedy}")
    for field in wanted:
        kind = stored.field(field.name)
        if (kind.type, kind.nullable) != (field.type, field.nullable):
            raise TableError(
                f"{path}: column {field.name} of table {table.name} is {_form(kind)}, expected {_form(field)}; {remedy}"
            )


def _form(field):
    return f"{field.type}{'' if field.nullable else ' without nulls'}"

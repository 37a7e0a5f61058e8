"""Read files with one text a row: CSV, TSV, JSON lines, Parquet, Arrow. A row that cannot be used comes back with its
problem; a file that cannot be read at all is an error, and so is one that unfolds to far more than its size."""

import contextlib
import csv
import json
import re
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ragassay.base import parquet_footer
from ragassay.base.errors import MISSHAPEN, Unusable, json_of, one_item
from ragassay.base.terminal import printable, shown
from ragassay.documents import arrow_messages
from ragassay.documents.record import NOT_UTF8, Columns, Record, SourceError, check_columns, decoded, fields_of

LONGEST_LINE = 100_000_000  # bytes of JSON, of which a longer line is a reject, or characters of a row of CSV
ROWS = 64  # of Parquet and Arrow that are held at a time: each may be as large as a file unfolds to
UNFOLDED, TIMES = 1_000_000_000, 100  # characters that any file may unfold to, and for each byte of a larger one
PER_ROW = 100  # what a row counts for, whatever it holds
PER_VALUE = 16  # bytes of a value within lists, before it is an object of Python
FRAME = 8  # bytes before the messages of an Arrow file
HELD = 250_000_000  # bytes of rows that are held at a time, where the file is small
LISTS = (
    pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list, pa.types.is_list_view,
    pa.types.is_large_list_view,
)  # fmt: skip
EXPECTED_OBJECT = "expected one JSON object a line"
UTF16 = re.compile(rb"\xff\xfe|\xfe\xff|\0[^\0]|[^\0]\0")  # at the beginning of a file


def header(file: str) -> list[str]:
    """What a table calls its columns; of JSON lines, its first object."""
    ending = Path(file).suffix.lower()
    if ending in (".csv", ".tsv"):
        names, _ = next(_cells(file, "," if ending == ".csv" else "\t"), ([], 0))
    elif ending == ".jsonl":
        with Path(file).open("rb") as lines:
            text, problem = decoded(next((line for line in _lines(lines) if line.strip()), b"{}"))
        names = json_of(text or "")
        if problem or not isinstance(names, dict):
            raise SourceError(f"{file}: found {problem or shown(text.strip())} in the first line, {EXPECTED_OBJECT}")
    elif ending == ".parquet":
        with _reading(file, "Parquet"):
            names = pq.read_schema(file).names
    else:
        with _reading(file, "Arrow"), pa.memory_map(file) as content:
            names = pa.ipc.open_stream(_stream(content)).schema.names
    return [name.strip() for name in names]


@contextlib.contextmanager
def _reading(file, kind):
    try:
        yield
    except (pa.ArrowException, *MISSHAPEN, OSError, MemoryError, SystemError) as error:
        reason = printable((str(error).strip() or type(error).__name__).splitlines()[0])
        raise SourceError(f"{file}: not a whole {kind} file ({reason})") from error


def read_csv(file: str, columns: Columns, delimiter: str = ",") -> Iterator[Record]:
    rows = _cells(file, delimiter)
    header = [name.strip().lower() for name in next(rows, ([], 0))[0]]
    check_columns(file, header, columns)
    for number, (cells, line) in enumerate((row for row in rows if row[0]), 1):  # an empty line is no row
        if len(cells) != len(header):
            detail = f"found {len(cells)} cells, expected {len(header)}, in line {line}"
            yield Record(file, number, reason="bad_row", detail=detail)
        elif any(map(NOT_UTF8.search, cells)):
            detail = f"found bytes that are not UTF-8 in line {line}; save the file as UTF-8"
            yield Record(file, number, reason="encoding", detail=detail)
        else:
            yield _record(file, number, dict(zip(header, cells, strict=True)), columns)


def _cells(file, delimiter):
    """Rows of CSV with the numbers of their last lines. One that never ends, as behind an open quote, is not held."""
    size = 0

    def lines(content):
        nonlocal size
        for line in _lines(content):
            size += len(line)
            if size > LONGEST_LINE:
                expected = f"expected at most {LONGEST_LINE / 1e6:,.0f}; look for a quote that is never closed"
                raise SourceError(f"{file}: found a row of more than {LONGEST_LINE / 1e6:,.0f} MB, {expected}")
            yield line

    csv.field_size_limit(sys.maxsize)
    with Path(file).open("rb") as content:
        if UTF16.match(content.read(2)):
            raise SourceError(f"{file}: found UTF-16, expected UTF-8; save the file as UTF-8")
    with Path(file).open(encoding="utf-8-sig", errors="surrogateescape", newline="") as content:
        rows = csv.reader(lines(content), delimiter=delimiter, strict=True)
        try:
            for cells in rows:
                size = 0
                yield cells, rows.line_num
        except csv.Error as error:
            problem = f"{error}; expected rows of {delimiter!r}-separated cells"
            raise SourceError(f"{file}:{rows.line_num}: {problem}") from error


def _record(file, number, row, columns):
    try:
        with one_item():
            return Record(file, number, fields_of(row, columns))
    except Unusable as why:
        return Record(file, number, reason=why.reason, detail=why.detail)


def read_tsv(file: str, columns: Columns) -> Iterator[Record]:
    yield from read_csv(file, columns, "\t")


def read_jsonl(file: str, columns: Columns) -> Iterator[Record]:
    with Path(file).open("rb") as lines:
        for number, line in enumerate(_lines(lines), 1):
            text, problem = decoded(line)
            if len(line) > LONGEST_LINE:
                expected = f"expected at most {LONGEST_LINE / 1e6:,.0f}"
                yield Record(file, number, reason="too_large", detail=f"found a line of more than {expected} MB")
            elif problem:
                yield Record(file, number, reason="encoding", detail=problem)
            elif text.strip():
                try:
                    fields = json.loads(text)
                    problem = f"found {text.strip()!r:.40}, {EXPECTED_OBJECT}"
                except (ValueError, RecursionError) as error:
                    fields, problem = None, f"not JSON: {error}"
                if isinstance(fields, dict):
                    yield _record(file, number, fields, columns)
                else:
                    yield Record(file, number, reason="bad_row", detail=problem)


def _lines(file):
    """Lines of a file; of one that is too long, so much that this can be seen."""
    while line := file.readline(LONGEST_LINE + 1):
        yield line
        while len(line) > LONGEST_LINE and line[-1:] not in ("\n", b"\n"):
            line = file.readline(LONGEST_LINE + 1)


def read_parquet(file: str, columns: Columns) -> Iterator[Record]:
    with _reading(file, "Parquet"):
        with pq.ParquetFile(file) as parquet:
            wanted = _wanted(file, parquet.schema_arrow, columns)
            chunks = parquet_footer.chunks(parquet, wanted)
        rows, lists = _rows_at_once(file, chunks), sorted({chunk.path for chunk in chunks if chunk.values > chunk.rows})
        with pq.ParquetFile(
            file, read_dictionary=lists
        ) as parquet:  # each text of a list once, however often it stands
            groups = range(parquet.num_row_groups)  # which Arrow cannot join so
            batches = (batch for group in groups for batch in parquet.iter_batches(rows, [group], columns=wanted))
            yield from _records(file, batches, columns)


def _rows_at_once(file, chunks):
    """How many rows fit into memory if each holds the longest text that its chunk can hold. A file whose lists or
    texts are far longer than its size is refused.
    """
    largest = max((chunk.bytes for chunk in chunks), default=0)
    if max(PER_VALUE * sum(chunk.values - chunk.rows for chunk in chunks), largest) > _most(file):
        _refuse(file)
    held = max(HELD, TIMES * Path(file).stat().st_size)
    return max(1, min(ROWS, held // max(largest, 1)))


def read_arrow(file: str, columns: Columns) -> Iterator[Record]:
    """A stream, as Hugging Face data sets are saved, or a file of Arrow's."""
    with _reading(file, "Arrow"), pa.memory_map(file) as content:
        stream = _stream(content)
        if arrow_messages.unfolded(stream) > _most(file):
            _refuse(file)
        reader = pa.ipc.open_stream(stream)
        wanted = _wanted(file, reader.schema, columns)
        parts = (batch.slice(at, ROWS) for batch in map(_whole, reader) for at in range(0, len(batch), ROWS))
        yield from _records(file, (part.select(wanted) for part in parts), columns)


def _stream(content):
    """The messages of a stream, or of a file, which is one with a frame around it."""
    whole = content.read_buffer()
    return whole.slice(FRAME) if whole.slice(0, FRAME).to_pybytes() == b"ARROW1\0\0" else whole


def _whole(batch):
    """The batch, if it lies within its file: Arrow itself reads what its offsets say, wherever that is."""
    batch.validate(full=True)
    return batch


def _wanted(file, schema, columns):
    """The names of the columns that are read, as the file writes them."""
    names = [name.strip().lower() for name in schema.names]
    check_columns(file, names, columns)
    return [name for name, lower in zip(schema.names, names, strict=True) if lower in (*columns.known, "_id")]


def _records(file, batches, columns):
    numbers, unfolded = count(1), 0
    most = _most(file)
    for batch in batches:
        if unfolded + sum(_in_lists(column, most) for column in batch.columns) > most:
            _refuse(file)
        for row in _rows(batch.cast(_microseconds(batch.schema), safe=False)):
            unfolded += PER_ROW + (sum(map(_size, row.values())) if isinstance(row, dict) else 0)
            if unfolded > most:
                _refuse(file)
            if isinstance(row, dict):
                yield _record(file, next(numbers), row, columns)
            else:
                reason = "encoding" if isinstance(row, UnicodeError) else "bad_row"
                yield Record(file, next(numbers), reason=reason, detail=f"found a value that cannot be read: {row}")


def _most(file):
    return max(UNFOLDED, TIMES * Path(file).stat().st_size)


def _refuse(file):
    """What unfolds to far more than its size."""
    size = f"{_most(file) / 1e6:,.0f} MB of text in {Path(file).stat().st_size / 1e6:,.1f} MB"
    expected = f"expected at most {TIMES} times the size; save it without repetitions"
    raise SourceError(f"{file}: found more than {size}, {expected}")


def _in_lists(column, most, inside=False):
    """What the values within lists count for, once they are objects of Python."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        if inside and kind.value_type in (pa.string(), pa.binary()):
            return pc.sum(pc.binary_length(column.dictionary).take(column.indices).cast(pa.int64())).as_py() or 0
        return len(column) * _in_lists(column.dictionary, most, inside)
    if pa.types.is_run_end_encoded(kind):
        return len(column) * _in_lists(column.values, most, inside)
    if pa.types.is_struct(kind):
        return sum(_in_lists(part, most, inside) for part in column.flatten())
    if pa.types.is_map(kind):
        column = column.cast(pa.list_(pa.struct([("key", kind.key_type), ("value", kind.item_type)])))
    elif not any(is_list(kind) for is_list in LISTS):
        return 0
    unfolded = PER_ROW * (pc.sum(pc.list_value_length(column)).as_py() or 0)
    return unfolded if unfolded > most else unfolded + _in_lists(column.flatten(), most, inside=True)


def _size(value):
    if isinstance(value, str | bytes):
        return len(value)
    return PER_ROW + sum(map(_size, value)) if isinstance(value, list) else PER_ROW


def _microseconds(schema):
    """The same columns, but no time in nanoseconds, which Python cannot hold."""
    for at, column in enumerate(schema):
        if pa.types.is_timestamp(column.type) and column.type.unit == "ns":
            schema = schema.set(at, column.with_type(pa.timestamp("us", column.type.tz)))
    return schema


def _rows(batch):
    """The rows of a batch, with the error in the place of one that Python cannot hold: a time in the year 30000, bytes
    that are not UTF-8.
    """
    try:
        return batch.to_pylist()
    except (ValueError, OverflowError) as error:
        if len(batch) == 1:
            return [error]
        half = len(batch) // 2
        return _rows(batch.slice(0, half)) + _rows(batch.slice(half))

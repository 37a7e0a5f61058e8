"""Two digests of a published file: of its bytes, and of a table's values, which another writer of Parquet leaves
equal. The logical one goes through columns as three streams each: where values are missing, how long texts and lists
are, and the values. Needs the standard library and pyarrow alone."""

import hashlib
import json
import struct
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ragassay.base import parquet_footer

BATCH_ROWS = 16_384
LEAST_UNFOLDED, MOST_TIMES = 256_000_000, 200  # bytes of a table in memory: always allowed, and against its file's size
VALUE = 4  # bytes of a value in memory, about
VARIABLE = pa.types.is_string, pa.types.is_binary
LISTS = pa.types.is_list, pa.types.is_fixed_size_list


def sha256(path) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def crash(error: Exception) -> str:
    """In a line, what nobody foresaw of a file: it costs itself, and the rest is still looked at."""
    if isinstance(error, MemoryError):
        raise error
    [*_, last] = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {str(error)[:100]}".split("\n")[0]


class Oversized(Exception):
    """A file holds far more than its size promises."""


def batches(path, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    """A table piece by piece. A damaged page raises an error, and so does a file of a few kilobytes that unfolds to
    gigabytes.
    """
    unfolded, most = 0, max(LEAST_UNFOLDED, MOST_TIMES * Path(path).stat().st_size)
    with pq.ParquetFile(path, pre_buffer=False, page_checksum_verification=True) as parquet:
        if VALUE * sum(chunk.values for chunk in parquet_footer.chunks(parquet)) > most:
            raise Oversized(f"its values would take more than {most // 10**6} MB, {MOST_TIMES} times its size")
        for batch in parquet.iter_batches(BATCH_ROWS, columns=columns, use_threads=False):
            unfolded += batch.nbytes
            if unfolded > most:
                raise Oversized(f"it unfolds to more than {most // 10**6} MB, {MOST_TIMES} times its size")
            yield batch


def n_rows(path) -> int:
    return pq.read_metadata(path).num_rows


def read_table(path, columns: list[str] | None = None) -> pa.Table:
    """All of it, bounded likewise."""
    pieces = list(batches(path, columns))
    if pieces:
        return pa.Table.from_batches(pieces)
    schema = pq.read_schema(path)
    return schema.empty_table() if columns is None else schema.empty_table().select(columns)


def scalar(value: int | str) -> pa.Scalar:
    """As pa.scalar, which loads pandas where it is installed: as long as a third of a million rows takes."""
    if isinstance(value, int):
        return pa.Array.from_buffers(pa.int64(), 1, [None, pa.py_buffer(struct.pack("=q", value))])[0]
    content = value.encode()
    ends = struct.pack("=ii", 0, len(content))
    return pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(ends), pa.py_buffer(content)])[0]


def first(mask: pa.Array) -> int:
    """Where the first true value of a mask stands, or -1."""
    places = pc.indices_nonzero(mask)
    return places[0].as_py() if len(places) else -1


class FilePass:
    """What one pass over a table file leaves behind, so that nothing reads the file for it again: rows, logical
    digest, empty cells of each column, and distinct values of the `watched` columns. `add` every batch in its order.
    """

    def __init__(self, schema: pa.Schema, watched: Iterable[str] = ()):
        self.rows, self.missing = 0, Counter()
        self._columns = [_Column(field.name, field.type) for field in schema]
        self._values = {name: [pa.nulls(0, schema.field(name).type)] for name in watched if name in schema.names}

    def add(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """The distinct values of the watched columns of this batch."""
        self.rows += batch.num_rows
        for column, values in zip(self._columns, batch.columns, strict=True):
            self.missing[column.name] += values.null_count
            column.add(values)
        distinct = {name: batch[name].unique() for name in self._values}
        for name, values in distinct.items():
            self._values[name].append(values)
        return distinct

    def digest(self) -> str:
        content = {"rows": self.rows, "columns": [column.summary() for column in self._columns]}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    def distinct(self, column: str) -> pa.Array:
        """The values of a watched column, each once, without missing ones; none where the file has no such column."""
        pieces = self._values.get(column)
        return pc.drop_null(pa.chunked_array(pieces).unique()) if pieces else pa.nulls(0, pa.string())


def logical_digest(schema: pa.Schema, pieces: Iterable[pa.RecordBatch]) -> str:
    seen = FilePass(schema)
    for piece in pieces:
        seen.add(piece)
    return seen.digest()


class _Column:
    """The streams of one column, each with a hash of its own: it does not matter how rows are cut into batches."""

    def __init__(self, name, kind):
        self.name, self.kind, self.rows = name, kind, 0
        self.missing, self.lengths, self.values = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
        self.inner = _Column(name, kind.value_type) if _is(kind, LISTS) else None

    def add(self, values):
        if values.null_count:
            places = pc.indices_nonzero(pc.is_null(values)).cast(pa.int64())
            self.missing.update(_numbers(pc.add(places, scalar(self.rows)), 8))
        self.rows += len(values)
        present = values.drop_null() if values.null_count else values
        if self.inner:
            self.lengths.update(_numbers(pc.list_value_length(present).cast(pa.int32()), 4))
            self.inner.add(present.flatten())
        elif _is(self.kind, VARIABLE):
            self.lengths.update(_numbers(pc.binary_length(present), 4))
            self.values.update(_bytes(present))
        else:
            self.values.update(_numbers(_as_64_bits(present), 8))

    def summary(self):
        streams = [stream.hexdigest() for stream in (self.missing, self.lengths, self.values)]
        return [self.name, str(self.kind), *streams, *([self.inner.summary()] if self.inner else [])]


def _is(kind, kinds):
    return any(is_kind(kind) for is_kind in kinds)


def _as_64_bits(values):
    if pa.types.is_floating(values.type):
        return values.cast(pa.float64())
    return values.cast(pa.uint8()).cast(pa.int64()) if pa.types.is_boolean(values.type) else values.cast(pa.int64())


def _numbers(values, width):
    """The bytes of an array of numbers without missing ones."""
    start = values.offset * width
    return memoryview(values.buffers()[1])[start : start + len(values) * width] if len(values) else b""


def _bytes(values):
    """The bytes of all texts, one behind the other."""
    if not len(values):
        return b""
    _, offsets, content = values.buffers()
    first, last = (memoryview(offsets).cast("i")[values.offset + at] for at in (0, len(values)))
    return memoryview(content)[first:last] if content is not None else b""

"""What a Parquet file says of its size before a row is read: a kilobyte may be a list of a thousand million zeros,
which is one row, or one text in a thousand million rows. Needs pyarrow alone, since releases carry a copy."""

from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq


class Chunk(NamedTuple):
    """A column of a row group."""

    path: str  # the column's name; for what lies within lists and structs, more behind a dot
    rows: int
    values: int
    bytes: int  # without compression; a text of its dictionary counts once


def _is_of(path, columns):
    return any(f"{path}.".startswith(f"{column}.") for column in columns)


def chunks(parquet: pq.ParquetFile, wanted: list[str] | None = None) -> list[Chunk]:
    """All columns of all row groups, or those of some names alone. A damaged footer is an error."""
    footer = parquet.metadata
    places = [
        at for at in range(footer.num_columns) if wanted is None or _is_of(parquet.schema.column(at).path, wanted)
    ]
    for number in range(footer.num_row_groups):
        # Of damaged statistics, `column` below ends the process. No rows are made here, but this raises an error.
        list(parquet.reader.iter_batches(0, [number], places, use_threads=False))
    result = []
    for group in map(footer.row_group, range(footer.num_row_groups)):
        for column in map(group.column, places):
            values = column.num_values, column.total_uncompressed_size
            result.append(Chunk(column.path_in_schema, group.num_rows, *values))
    # A forged footer may name fewer. Arrow reads no page behind these, so that all but the last page are counted,
    # and that one holds at most 2**31 values.
    if any(not 0 <= chunk.rows <= chunk.values for chunk in result):
        raise pa.ArrowInvalid("its footer names fewer values than rows")
    return result

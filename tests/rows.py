"""Rows for any table: what a test does not name gets a value of its type that means nothing."""

import pyarrow as pa

FILLS = ((pa.types.is_string, ""), (pa.types.is_boolean, False), (pa.types.is_integer, 0), (pa.types.is_floating, 0.0))


def row(table, **values):
    """A row of a table with these values; the others are null where they may be, else empty, zero or false."""
    empty = {column.name: None if column.null else _fill(column.type) for column in table.columns}
    assert values.keys() <= empty.keys(), values.keys() - empty.keys()
    return empty | values


def _fill(kind):
    return next(value for is_kind, value in FILLS if is_kind(kind))

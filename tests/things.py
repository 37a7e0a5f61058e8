"""A table for tests with columns of several types, and rows for it."""

import datetime
import random

import pyarrow as pa

from ragassay.tables import Column, Table

THINGS = Table(
    "things",
    "One row per thing.",
    key=("kind", "name"),
    columns=(
        Column("name", pa.string(), "what it is called"),
        Column("kind", pa.string(), "what it is"),
        Column("count", pa.int32(), "how many there are"),
        Column("score", pa.float64(), "how good they are", null=True),
        Column("seen", pa.timestamp("ms", tz="UTC"), "when last", null=True),
        Column("marks", pa.list_(pa.float32()), "marks given", null=True),
    ),
)
DAY = datetime.datetime(2024, 2, 29, 12, 30, 15, 123_000, tzinfo=datetime.UTC)
THING = {"name": "spoon", "kind": "tool", "count": 3, "score": 0.5, "seen": DAY, "marks": [1.0, 2.5]}


def things(count):
    """Rows in an order of no meaning."""
    rows = [
        {
            "name": f"é{number}",
            "kind": "abc"[number % 3],
            "count": number,
            "score": None if number % 5 == 0 else number / 7,
            "seen": None if number % 4 else DAY + datetime.timedelta(hours=number),
            "marks": [float(number)] * (number % 3) if number % 6 else None,
        }
        for number in range(count)
    ]
    random.Random(0).shuffle(rows)
    return rows


def by_key(row):
    return row["kind"], row["name"]


def arrow(rows, **casts):
    """The rows as an arrow table, some columns in another type."""
    table = pa.Table.from_pylist(rows, schema=THINGS.schema)
    for name, kind in casts.items():
        table = table.set_column(table.column_names.index(name), name, table[name].cast(kind))
    return table

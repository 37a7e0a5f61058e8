"""Rows for any table: what a test does not name gets a value that means nothing. And a table of several types."""

import datetime
import json
import random

import pyarrow as pa

from ragassay.base import tables
from ragassay.base.tables import Column, Table, key_names
from ragassay.schemas.corpora import INDEX_RECALL
from ragassay.schemas.report import METRICS

DAY = datetime.datetime(2024, 2, 29, 12, 30, 15, 123_000, tzinfo=datetime.UTC)
FILLS = (
    *((pa.types.is_string, ""), (pa.types.is_boolean, False), (pa.types.is_integer, 0), (pa.types.is_floating, 0.0)),
    *((pa.types.is_list, []), (pa.types.is_binary, b""), (pa.types.is_timestamp, DAY)),
)


def row(table, **values):
    """A row of a table with these values; the others are null where they may be, else empty, zero or false."""
    empty = {column.name: None if column.null else _fill(column.type) for column in table.columns}
    assert values.keys() <= empty.keys(), values.keys() - empty.keys()
    return empty | values


def place(folder, table, **keys):
    """Where a file of a table lies, below a folder; a key that a test does not name is `s`."""
    names = {name: keys.get(name, "s") for name in key_names(table)}
    return folder / f"{(table.path or table.name).format(**names)}.parquet"


def written(folder, table, rows, **keys):
    """A file with these rows, where it lies below a folder."""
    path = place(folder, table, **keys)
    tables.write(table, path, rows)
    return path


def numbers(rows, *names, of=("value", "n")):
    """(what rows of metrics and their keys say by these names, metric) -> their numbers."""
    found = {}
    for measured in rows:
        about = measured | json.loads(measured["keys"])
        found[(*(about[name] for name in names), measured["metric"])] = tuple(measured[name] for name in of)
    return found


def metrics_of(path, *without):
    """(table, values of the keys but for these, metric) -> row, of a file of metrics."""
    found = {}
    for measured in tables.read(METRICS, path).to_pylist():
        keys = [value for name, value in json.loads(measured["keys"]).items() if name not in without]
        found[measured["table"], *keys, measured["metric"]] = measured
    return found


def values_of(path, table):
    """keys but for the place, joined -> metric -> value, of a table of metrics."""
    found = {}
    for measured in tables.read(METRICS, path).to_pylist():
        if measured["table"] == table:
            keys = json.loads(measured["keys"])
            name = " ".join(keys[key] for key in keys if key != "at")
            found.setdefault(name, {})[measured["metric"]] = measured["value"]
    return found


def _fill(kind):
    return next(value for is_kind, value in FILLS if is_kind(kind))


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


def index_recall(results, corpus, query_set, *shared, retriever="near"):
    """The table of an index: how many of the first ten it finds for each query."""
    of_queries = [
        {"query_id": f"q{number}", "depth": depth, "shared": own if depth == 10 else 0, "of": depth}
        for number, own in enumerate(shared)
        for depth in (1, 10, 100)
    ]
    return written(results, INDEX_RECALL, of_queries, corpus=corpus, retriever=retriever, query_set=query_set)

"""Time tables against pyarrow writing and reading the same rows by itself, without order, checks or atomic
replacement.

Five million rows, written in key order and shuffled in blocks (so that runs have to be merged), each in a process of
its own so that its peak memory is its own.
"""

import tempfile
import time

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from common.figures import figure, parts
from common.memory import peak_megabytes, task

ROWS, BLOCK = 5_000_000, 50_000


def blocks(shuffled: bool):
    """Rows as a stage would make them: a key, two numbers, a short text."""
    for number in range(ROWS // BLOCK):
        start = (number * 37 % (ROWS // BLOCK) if shuffled else number) * BLOCK
        ids = pa.array(range(start, start + BLOCK), pa.int64())
        key = pc.utf8_lpad(ids.cast(pa.string()), 12, "0")
        text = pc.binary_join_element_wise("a text about", key, " ")
        yield pa.table(
            {"key": key, "number": ids, "share": pc.divide(ids.cast(pa.float64()), float(ROWS)), "text": text}
        )


def declared():
    from ragassay.base.tables import Column, Table

    types = {"key": pa.string(), "number": pa.int64(), "share": pa.float64(), "text": pa.string()}
    return Table("numbers", "A row.", ("key",), tuple(Column(name, kind, "x") for name, kind in types.items()))


def measure(way: str, path: str) -> tuple[float, float]:
    """In a process of its own: seconds and peak megabytes of one way to read or write."""
    from ragassay.base import tables

    start = time.perf_counter()
    if way == "read":
        assert sum(batch.num_rows for batch in tables.batches(declared(), path)) == ROWS
    elif way == "read_bare":
        assert sum(batch.num_rows for batch in pq.ParquetFile(path).iter_batches(8192)) == ROWS
    elif way == "write_bare":
        with pq.ParquetWriter(path, declared().schema, **tables.OPTIONS) as writer:
            for block in blocks(False):
                writer.write_table(block.cast(declared().schema))
    else:
        with tables.Writer(declared(), path) as writer:
            for block in blocks(way == "write_shuffled"):
                writer.write(block)
    return time.perf_counter() - start, peak_megabytes()


def five_million() -> None:
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        path = f"{folder}/numbers.parquet"
        costs = {
            way: task("measure", way, path) for way in ("write_bare", "read_bare", "write", "write_shuffled", "read")
        }
    for way, bare, times in (
        ("write", "write_bare", 3),
        ("write_shuffled", "write_bare", 6),
        ("read", "read_bare", 1.5),
    ):
        (seconds, megabytes), (limit, _) = costs[way], costs[bare]
        figure(f"{way}_5M_rows", seconds, "s", f"<= {times * limit:.3f}", limit)
        figure(f"{way}_5M_rows_memory", megabytes, "MB", "< 1000")


if __name__ == "__main__":
    parts({"five_million": five_million}, {"measure": measure})

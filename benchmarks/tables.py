"""Time tables against pyarrow writing and reading the same rows by itself, without order, checks or atomic
replacement.

Five million rows, written in key order and shuffled in blocks (so that runs have to be merged), each in a process of
its own so that its peak memory is its own.
"""

import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from common.figures import figure, finish
from common.memory import peak_megabytes

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


def measure(task: str, path: str) -> None:
    """In a child: do one task and print seconds and peak megabytes."""
    from ragassay.base import tables

    if task == "read":
        start = time.perf_counter()
        assert sum(batch.num_rows for batch in tables.batches(declared(), path)) == ROWS
    elif task == "read_bare":
        start = time.perf_counter()
        assert sum(batch.num_rows for batch in pq.ParquetFile(path).iter_batches(8192)) == ROWS
    elif task == "write_bare":
        start = time.perf_counter()
        with pq.ParquetWriter(path, declared().schema, **tables.OPTIONS) as writer:
            for block in blocks(False):
                writer.write_table(block.cast(declared().schema))
    else:
        start = time.perf_counter()
        with tables.Writer(declared(), path) as writer:
            for block in blocks(task == "write_shuffled"):
                writer.write(block)
    peak = peak_megabytes()
    sys.stdout.write(f"{time.perf_counter() - start} {peak}\n")


def main():
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        path, found = f"{folder}/numbers.parquet", {}
        for task in ("write_bare", "read_bare", "write", "write_shuffled", "read"):
            done = subprocess.run([sys.executable, __file__, task, path], check=True, stdout=subprocess.PIPE, text=True)
            found[task] = [float(word) for word in done.stdout.split()]
    for task, bare, times in (
        ("write", "write_bare", 3),
        ("write_shuffled", "write_bare", 6),
        ("read", "read_bare", 1.5),
    ):
        seconds, limit = found[task][0], found[bare][0]
        figure(f"{task}_5M_rows", seconds, "s", f"<= {times * limit:.3f}", limit)
        figure(f"{task}_5M_rows_memory", found[task][1], "MB", "< 1000")
    finish()


if __name__ == "__main__":
    measure(*sys.argv[1:]) if sys.argv[1:] else main()

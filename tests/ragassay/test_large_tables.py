"""Rows that weigh more than the memory they may take are written and read, in order of the key or not, in few runs or
many.
"""

import os
import subprocess
import sys

import pytest

from project import ROOT

MOST = 440  # megabytes, of which the imports take a fourth; the rows weigh 450
ROWS = 2_000_000

SCRIPT = """
import sys
import pyarrow as pa
import pyarrow.compute as pc
from ragassay.base import _sorted_runs
from common.memory import peak_megabytes
from ragassay.base.tables import Column, Table, Writer, batches, read

order, run_bytes, path, rows = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
_sorted_runs.RUN_BYTES = run_bytes or _sorted_runs.RUN_BYTES
table = Table("large", "One row per number.", ("key",), (
    Column("key", pa.string(), "the number, with zeros before it"),
    Column("number", pa.int64(), "the number"),
    Column("score", pa.float64(), "a seventh of it"),
    Column("text", pa.string(), "the number after a sentence"),
))
SENTENCE = " ".join(["a sentence that goes on until the whole table is larger than the memory that is allowed,"] * 2)


def part(numbers):
    number = pa.array(numbers, pa.int64())
    digits = number.cast(pa.string())
    text = pc.binary_join_element_wise(SENTENCE, digits, " ")
    score = pc.divide(number.cast(pa.float64()), 7.0)
    return pa.table([pc.utf8_lpad(digits, 12, "0"), number, score, text], schema=table.schema)


step = rows // 100
parts = {
    "in order": (range(start, start + step) for start in range(0, rows, step)),
    "shuffled": (range(rows - 1 - start, -1, -100) for start in range(100)),
}
with Writer(table, path) as writer:
    for numbers in parts[order]:
        writer.write(part(numbers))
    spilled = len(writer._runs.runs)
assert writer.written == rows
seen = 0
for batch in batches(table, path):
    assert batch.equals(part(range(seen, seen + batch.num_rows)).to_batches()[0]), seen
    seen += batch.num_rows
assert seen == rows
assert read(table, path, ["score", "key"]).num_rows == rows
print(spilled, round(peak_megabytes()))
"""


@pytest.mark.parametrize(
    ("order", "run_bytes", "least_runs"), [("in order", 0, 5), ("shuffled", 0, 5), ("shuffled", 2**23, 40)]
)
def test_two_million_rows_need_less_than_they_weigh(tmp_path, order, run_bytes, least_runs):
    path = tmp_path / "large.parquet"
    command = [sys.executable, "-c", SCRIPT, order, str(run_bytes), path, str(ROWS)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "workflow", ROOT / "benchmarks")))}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    spilled, megabytes = done.stdout.split()
    path.unlink()
    assert int(spilled) >= least_runs
    assert int(megabytes) < MOST

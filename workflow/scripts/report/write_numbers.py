"""Write every number of a section as CSV, for spreadsheets: each key has a column of its own. Rounds nothing."""

import csv
import io
import json

from ragassay import tables
from ragassay.atomic import write_text
from ragassay.schemas.metrics import METRICS
from ragassay.stage import run

NUMBERS = ("value", "low", "high", "n", "abstained")


def write_numbers(metrics, numbers):
    rows = [row | {"keys": json.loads(row["keys"])} for row in tables.read(METRICS, metrics).to_pylist()]
    keys = sorted({key for row in rows for key in row["keys"]})
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["table", *(f"key {key}" for key in keys), "metric", *NUMBERS])
    for row in rows:
        own = [_safe(row["keys"].get(key, "")) for key in keys]
        writer.writerow([row["table"], *own, row["metric"], *("" if row[n] is None else row[n] for n in NUMBERS)])
    write_text(numbers, file.getvalue())


def _safe(text):
    """A spreadsheet would run what begins like a formula."""
    return "'" + text if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


if __name__ == "__main__":
    run(write_numbers, snakemake)

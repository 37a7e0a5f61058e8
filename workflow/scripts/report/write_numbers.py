"""Write every number of each section as CSV, for spreadsheets: each key has a column of its own. Rounds nothing."""

import json

from ragassay.base import tables
from ragassay.base.atomic import write_text
from ragassay.base.stage import run
from ragassay.report import figures
from ragassay.schemas.report import METRICS

NUMBERS = ("value", "low", "high", "n", "abstained")


def write_numbers(metrics, numbers):
    for path, file in zip(metrics, numbers, strict=True):
        write_text(file, _csv(path))


def _csv(path):
    rows = [row | {"keys": json.loads(row["keys"])} for row in tables.read(METRICS, path).to_pylist()]
    keys = sorted({key for row in rows for key in row["keys"]})
    columns = ["table", *(f"key {key}" for key in keys), "metric", *NUMBERS]
    lines = (
        [row["table"], *(row["keys"].get(key) for key in keys), row["metric"], *(row[name] for name in NUMBERS)]
        for row in rows
    )
    return figures.csv_text(columns, lines)


if __name__ == "__main__":
    run(write_numbers, snakemake)

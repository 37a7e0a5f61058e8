"""The table metrics: what every study reports, in long form, one file per study."""

import json
import math
from collections.abc import Iterator

import pyarrow as pa

from ragassay.base.tables import Column, Table

METRICS = Table(
    "metrics",
    "One row per number of the report. A report section is written by writing such rows.",
    path="metrics/{section}",
    key=("study", "table", "keys", "metric"),
    columns=(
        Column("study", pa.string(), "the study, which is also the section of the report"),
        Column("table", pa.string(), "the table or figure of the study that the number belongs to"),
        Column(
            "keys",
            pa.string(),
            'what the number is about: a JSON object of texts with sorted keys, such as {"topic": "food"}',
        ),
        Column("metric", pa.string(), "the name of the number"),
        Column(
            "value", pa.float64(), "the number; empty when it is not defined, such as a mean of no items", null=True
        ),
        Column("low", pa.float64(), "lower end of its interval", null=True),
        Column("high", pa.float64(), "upper end of its interval", null=True),
        Column("n", pa.int64(), "items it was computed from"),
        Column("abstained", pa.int64(), "items that gave no verdict and are not in n"),
    ),
)


def metric(study, table, keys, name, value, n, low=None, high=None, abstained=0) -> dict:
    """One row of the table; `keys` is a dict, and NaN is no number."""
    value, low, high = (
        None if number is None or math.isnan(number) else float(number) for number in (value, low, high)
    )
    keys = json.dumps({key: str(keys[key]) for key in sorted(keys)}, ensure_ascii=False)
    row = {"study": study, "table": table, "keys": keys, "metric": name, "value": value, "low": low, "high": high}
    return row | {"n": int(n), "abstained": int(abstained)}


class Section:
    """Rows of one section of the report."""

    def __init__(self, study: str):
        self.study = study

    def row(self, table, keys, name, value, n, low=None, high=None, abstained=0) -> dict:
        return metric(self.study, table, keys, name, value, n, low, high, abstained)

    def rows(self, table, keys, numbers: dict, n: int | None = None) -> Iterator[dict]:
        """Numbers without an interval, by their names. Without `n` they are counts, each of as many items."""
        for name, value in numbers.items():
            yield self.row(table, keys, name, value, value if n is None else n)

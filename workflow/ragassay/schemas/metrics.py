"""The table metrics: what every study reports, in long form, one file per study."""

import json

import pyarrow as pa

from ragassay.tables import Column, Table

METRICS = Table(
    "metrics",
    "One row per number of the report; file `metrics/{study}`. A report section is written by writing such rows.",
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
        Column("value", pa.float64(), "the number; empty when it is not defined, such as a mean of nothing", null=True),
        Column("low", pa.float64(), "lower end of its interval", null=True),
        Column("high", pa.float64(), "upper end of its interval", null=True),
        Column("n", pa.int64(), "items it was computed from"),
        Column("abstained", pa.int64(), "items that gave no verdict and are not in n"),
    ),
)


def metric(study, table, keys, name, value, n, low=None, high=None, abstained=0) -> dict:
    """One row of the table; `keys` is a dict."""
    keys = json.dumps({key: str(keys[key]) for key in sorted(keys)}, ensure_ascii=False)
    row = {"study": study, "table": table, "keys": keys, "metric": name, "value": value, "low": low, "high": high}
    return row | {"n": n, "abstained": abstained}

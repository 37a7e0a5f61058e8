"""The tables that the report shows: metrics, examples, calls."""

import json
import math
from collections.abc import Iterable, Iterator

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
        Column("keys", pa.string(), 'what it is about: a JSON object of texts with sorted keys: {"topic": "food"}'),
        Column("metric", pa.string(), "the name of the number"),
        Column("value", pa.float64(), "the number; empty if it is not defined, as a mean of no items", null=True),
        Column("low", pa.float64(), "lower end of its interval", null=True),
        Column("high", pa.float64(), "upper end of its interval", null=True),
        Column("n", pa.int64(), "items it was computed from"),
        Column("abstained", pa.int64(), "items that gave no verdict and are not in n"),
    ),
    release="whole",
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

    def estimates(self, table, keys, names: Iterable[str], estimates) -> Iterator[dict]:
        """Numbers with intervals, by the names of the methods that a panel has measured together."""
        for at, name in enumerate(names):
            yield self.row(table, keys, name, **estimates.row(at))

    def rows(self, table, keys, numbers: dict, n: int | None = None) -> Iterator[dict]:
        """Numbers without an interval, by their names. Without `n` they are counts, each of as many items."""
        for name, value in numbers.items():
            yield self.row(table, keys, name, value, value if n is None else n)


FINDINGS = Table(
    "findings",
    "One row per finding or warning of the report: a sentence that a section's rule makes of its metrics.",
    path="findings/{report}",
    key=("section", "finding"),
    columns=(
        Column("section", pa.string(), "the section whose rule it is"),
        Column("finding", pa.string(), "the name of the rule"),
        Column("kind", pa.string(), "`finding`, or `warning`: what a reader has to know of the numbers"),
        Column("weight", pa.int32(), "how much it matters: 3 is most"),
        Column("certainty", pa.float64(), "distance to the reference in the half width of both intervals together"),
        Column("verdict", pa.string(), "`higher`, `lower`, `unclear`, `too_few` or `missing`"),
        Column("sentence", pa.string(), "what was found, in words; empty if there is nothing to say"),
        Column("action", pa.string(), "what to do about it; may be empty"),
        Column("metric_table", pa.string(), "the table of the metrics that the number stands in"),
        Column("keys", pa.string(), "the keys of its row"),
        Column("metric", pa.string(), "the name of the number"),
        Column("value", pa.float64(), "the number", null=True),
        Column("low", pa.float64(), "lower end of its interval", null=True),
        Column("high", pa.float64(), "upper end of its interval", null=True),
        Column("n", pa.int64(), "items it was computed from", null=True),
        Column("against", pa.float64(), "what it was compared with", null=True),
        Column("against_low", pa.float64(), "lower end of its interval", null=True),
        Column("against_high", pa.float64(), "upper end of its interval", null=True),
        Column("reference", pa.string(), "what that is, in a few words; empty for warnings"),
        Column("form", pa.string(), "how the number is written: `share`, `score`, `points`, `number` or `dollars`"),
    ),
    release="whole",
)


EXAMPLES = Table(
    "examples",
    "One row per passage of an example that the report shows with its whole lineage.",
    path="examples/{section}",
    key=("study", "example", "position"),
    columns=(
        Column("study", pa.string(), "the study, which is also the section of the report"),
        Column("example", pa.int32(), "the number of the example, from 1"),
        Column("position", pa.int32(), "the number of the passage, from 1"),
        Column("title", pa.string(), "the kind of example, in our words"),
        Column("part", pa.string(), "the kind of passage, in our words"),
        Column("text", pa.string(), "the passage as it is in the tables", text="everybody"),
    ),
)


ANSWER_EXAMPLES = Table(
    "answer_examples",
    "One row per part of an example of answers before a gate; choose_examples takes these into the relevance section.",
    path="answer_examples",
    key=EXAMPLES.key,
    columns=EXAMPLES.columns,
)


ANSWER_METRICS = Table(
    "answer_metrics",
    "One row per number of the relevance section that comes from answers; measure_relevance takes these into it.",
    path="answer_metrics",
    key=METRICS.key,
    columns=METRICS.columns,
    release="whole",
)


CALLS = Table(
    "calls",
    "One row per job that asked a model: what was asked and paid, in all runs together; file `calls/{rule}/{keys}`.",
    key=("model",),
    columns=(
        Column("model", pa.string(), "the model's name in the configuration"),
        Column("requests", pa.int64(), "requests sent, including retries"),
        Column("retries", pa.int64(), "of these, retries after a failure"),
        Column("replies", pa.int64(), "replies that came"),
        Column("failures", pa.int64(), "requests without a readable reply"),
        Column("samples", pa.int64(), "answers in all replies"),
        Column("prompt_tokens", pa.int64(), "tokens of all prompts"),
        Column("cached_tokens", pa.int64(), "of these, read from the provider's cache"),
        Column("completion_tokens", pa.int64(), "tokens of all answers"),
        Column("dollars", pa.float64(), "the price of these tokens"),
        Column("possibly_billed_twice", pa.int64(), "samples whose reply was lost on its way or by a killed process"),
        Column(
            "served_as",
            pa.string(),
            "answers by the name that replies give the model, as JSON: a second name says that its provider renamed or"
            " exchanged it in between; empty where replies name none",
            null=True,
        ),
    ),
    release="whole",
)


ASKED_CALLS = Table(
    "asked_calls",
    "One row per call of a job, by its place among the job's items; file `asked_calls/{rule}/{keys}` of a release.",
    key=("item", "call"),
    columns=(
        Column("item", pa.int64(), "the number of the item that the job asked about, from 0 in its order"),
        Column("call", pa.int32(), "the number of the call among those about this item, from 0"),
        Column("key", pa.string(), "the key of its answers in recorded_answers", refers="recorded_answers.key"),
    ),
    release="whole",
)

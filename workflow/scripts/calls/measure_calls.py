"""Turn what was asked of models and paid into the metrics of the report's section on costs."""

import json
from collections import Counter
from pathlib import Path

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.schemas.report import CALLS, METRICS, Section

SECTION = Section("calls")
COUNTS = [column.name for column in CALLS.columns if column.name not in ("model", "served_as")]


def measure_calls(calls, metrics):
    """The rule that asked is the folder below `calls` in a file's path."""
    totals, served = {}, Counter()
    for path in calls:
        parts = Path(path).parts
        rule = parts[parts.index("calls") + 1]
        for row in tables.read(CALLS, path).to_pylist():
            total = totals.setdefault((rule, row["model"]), dict.fromkeys(COUNTS, 0))
            for name in COUNTS:
                total[name] += row[name]
            for name, answers in json.loads(row["served_as"] or "{}").items():
                served[rule, row["model"], name] += answers
    rows = []
    for (rule, model), total in totals.items():
        rows += SECTION.rows("by_rule", {"rule": rule, "model": model}, total, total["requests"])
    for (rule, model, name), answers in sorted(served.items()):
        rows.append(SECTION.row("served_as", {"rule": rule, "model": model, "name": name}, "answers", answers, answers))
    tables.write(METRICS, metrics, rows)


if __name__ == "__main__":
    run(measure_calls, snakemake)

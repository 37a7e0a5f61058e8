"""Turn what was asked of models and paid into the metrics of the report's section on costs."""

from pathlib import Path

from ragassay import tables
from ragassay.schemas.calls import CALLS
from ragassay.schemas.metrics import METRICS, metric
from ragassay.stage import run

COUNTS = [column.name for column in CALLS.columns if column.name != "model"]


def measure_calls(generating, judging, responding, defusing, metrics):
    """The rule that asked is the folder below `calls` in a file's path."""
    totals = {}
    for path in [*generating, *judging, *responding, *defusing]:
        parts = Path(path).parts
        rule = parts[parts.index("calls") + 1]
        for row in tables.read(CALLS, path).to_pylist():
            total = totals.setdefault((rule, row["model"]), dict.fromkeys(COUNTS, 0))
            for name in COUNTS:
                total[name] += row[name]
    rows = [
        metric("calls", "by_rule", {"rule": rule, "model": model}, name, float(total[name]), total["requests"])
        for (rule, model), total in totals.items()
        for name in COUNTS
    ]
    tables.write(METRICS, metrics, rows)


if __name__ == "__main__":
    run(measure_calls, snakemake)

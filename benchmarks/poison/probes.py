"""What probes see on the demo with its own small model, from the metrics of a whole run of the study.

Seconds and jobs are those of the study alone, on targets, poisoned texts and what was retrieved and filtered before, as
in the whole demo. The best probe is the one with the highest AUROC of those that the demo names, which favours it a
little. With the control the same is not done: there is one.
"""

import json
import re
import time

import pyarrow.parquet as pq

from common.clone import cloned, snakemake
from common.figures import figure

RESULT, SETTINGS = "results/metrics/revprag.parquet", "benchmarks/poison/ten_folds.yaml"
STEPS = re.compile(r"(\d+) of \d+ steps")  # those done, which Snakemake's log says after each


def probes() -> None:
    with cloned() as clone:
        _timed(clone, "--until", "filter_retrieved")
        seconds, jobs = _timed(clone)
        figure("demo_seconds", seconds, "s", "<= 60")
        figure("demo_jobs", jobs, "jobs", "<= 30")
        snakemake(clone, RESULT, "--cores", "2", "--configfile", SETTINGS)
        rows = [row | json.loads(row["keys"]) for row in pq.read_table(clone / RESULT).to_pylist()]
    of_probe = {}
    for row in rows:
        if row["table"] == "conditions" and (row["condition"], row["facts"]) == ("matched", "known"):
            of_probe.setdefault(row["probe"], {})[row["metric"]] = row
    measured = [metrics for metrics in of_probe.values() if metrics["auroc"]["value"] is not None]
    best = max(measured, key=lambda metrics: metrics["auroc"]["value"])
    figure("matched_known_best", best["auroc"]["value"], "auroc", ">= 0.85")
    figure("matched_known_control", best["control"]["value"], "auroc", "<= 0.65")
    figure("matched_known_above_control", best["auroc"]["low"] - best["control"]["high"], "auroc", "> 0")
    figure("matched_known_shuffled_from_half", abs(best["shuffled"]["value"] - 0.5), "auroc", "<= 0.05")


def _timed(clone, *words):
    """Seconds and jobs of the study, or of a part of it."""
    begin = time.monotonic()
    snakemake(clone, "revprag", "--cores", "2", *words)
    seconds, log = time.monotonic() - begin, max((clone / ".snakemake/log").glob("*.log"))
    return seconds, int(STEPS.findall(log.read_text())[-1])

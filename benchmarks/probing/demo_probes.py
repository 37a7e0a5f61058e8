"""What probes see on the demo with its own small model, from the metrics of a whole run of the study.

Seconds and jobs are those of the study alone, on targets, poisoned texts and what was retrieved and filtered before, as
in the whole demo; what that takes where nothing else has been run stands beside.

The best probe is the one with the highest AUROC of those that the demo names, which favours it a little. With the
control the same is not done: there is one.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[2]
RESULT, SETTINGS = "results/metrics/revprag.parquet", "benchmarks/probing/ten_folds.yaml"
CONDITIONS = ("released", "retrieved", "prefixed", "matched")
STEPS = re.compile(r"(\d+) of \d+ steps")  # those done, after each


def measure(figure, project=None) -> None:
    if project:
        return _figures(figure, Path(project))
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        clone = seconds(figure, folder)
        _snakemake(clone, RESULT, "--cores", "2", "--configfile", SETTINGS)
        _figures(figure, clone)


def seconds(figure, folder) -> Path:
    """What the study takes in a clone, which is returned."""
    clone = Path(folder, "clone")
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    before, attacks = _timed(clone, "--until", "filter_retrieved")
    own, study = _timed(clone)
    figure("demo_seconds", own, "s", "<= 60")
    figure("demo_jobs", study, "jobs", "<= 30")
    figure("demo_seconds_of_attacks_before", before, "s")
    figure("demo_jobs_of_attacks_before", attacks, "jobs")
    return clone


def _timed(clone, *words):
    """Seconds and jobs of the study, or of a part of it."""
    begin = time.monotonic()
    done = _snakemake(clone, "revprag", "--cores", "2", *words)
    return time.monotonic() - begin, int(STEPS.findall(done)[-1])


def _snakemake(clone, *words):
    command = [sys.executable, "-m", "snakemake", *words]
    merged = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.run(command, cwd=clone, check=True, **merged).stdout


def _figures(figure, project) -> None:
    rows = [row | json.loads(row["keys"]) for row in pq.read_table(project / RESULT).to_pylist()]
    found = {}
    for row in rows:
        if row["table"] in ("conditions", "networks"):
            key = (row["table"], row["condition"], row["facts"], row.get("probe"))
            found.setdefault(key, {})[row["metric"]] = row
    for condition in {key[1]: None for key in found if key[0] == "conditions" and key[1] in CONDITIONS}:
        _condition(figure, found, condition, "all")
    _condition(figure, found, "matched", "unknown")
    best = _condition(figure, found, "matched", "known", target=True)
    figure("matched_known_answers", best["auroc"]["n"], "answers")
    figure("matched_known_above_control", best["auroc"]["low"] - best["control"]["high"], "auroc", "> 0")
    figure("matched_known_shuffled_from_half", abs(best["shuffled"]["value"] - 0.5), "auroc", "<= 0.05")
    for facts in ("all", "known"):
        compared = found.get(("networks", "matched", facts, None))
        if compared:
            figure(f"matched_{facts}_triplet_over_logistic", compared["over_logistic"]["value"], "auroc")
            figure(f"matched_{facts}_triplet_over_logistic_p", compared["p"]["value"], "p")
    _beside(figure, [row for row in rows if row.get("probe") == "logistic"])


def _beside(figure, rows) -> None:
    """What the probe flags without any poison, and what it finds beside a defence on the same prompts."""
    for row in rows:
        if row["table"] == "false_alarms" and (row["trained_on"], row["metric"]) == ("retrieved", "flagged"):
            figure(f"{row['condition']}_flagged", row["value"], "of_answers")
        if row["table"] == "alarms" and row["metric"] in ("tpr", "fpr"):
            figure(f"{row['defence']}_{row['way']}_{row['metric']}", row["value"], "of_answers")


def _condition(figure, found, condition, facts, target=False):
    """The best probe of a condition and its controls."""
    own = {key[3]: row for key, row in found.items() if key[:3] == ("conditions", condition, facts)}
    own = {probe: row for probe, row in own.items() if row["auroc"]["value"] is not None}
    best = max(own, key=lambda probe: own[probe]["auroc"]["value"])
    name = condition if facts == "all" else f"{condition}_{facts}"
    for probe, row in sorted(own.items()):
        figure(f"{name}_{probe}", row["auroc"]["value"], "auroc")
    figure(f"{name}_best", own[best]["auroc"]["value"], "auroc", ">= 0.85" if target else None)
    figure(f"{name}_control", own[best]["control"]["value"], "auroc", "<= 0.65" if target else None)
    for control in ("answer_text", "shuffled"):
        figure(f"{name}_{control}", own[best][control]["value"], "auroc")
    return own[best]

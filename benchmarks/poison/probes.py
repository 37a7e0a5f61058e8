"""What probes see on the demo with its own small model, from the metrics of a whole run of the study.

Seconds and jobs are those of the study alone, on targets, poisoned texts and what was retrieved and filtered before, as
in the whole demo. The best probe is the one with the highest AUROC of those that the demo names, which favours it a
little. With the control the same is not done: there is one.
"""

import json
import re
import time

import numpy as np
import pyarrow.parquet as pq

from common.clone import cloned, snakemake
from common.figures import figure
from ragassay.metrics.panel import auroc
from ragassay.studies.poisoning.probes.kinds.triplet import Kind
from ragassay.studies.poisoning.probes.samples import Part

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


def acceptance() -> None:
    """Whether the paper's network learns on images of the paper's size, 48 layers x 1,600 numbers: of every second one
    a patch of some layers and neighbouring numbers is higher by one deviation. Epochs are few, and the one that does
    best on the validation part counts, so that the paper's sixty could only be chosen over these.
    """
    dice, labels = np.random.default_rng(0), np.arange(260) % 2 == 1
    images = dice.normal(size=(len(labels), 48, 1600)).astype(np.float32)
    images[labels, 16:32, 400:800] += 1
    rows = np.split(np.arange(len(labels)), [120, 160])
    training, validation, test = (Part(images, part, labels[part]) for part in rows)
    probe = Kind({"epochs": 3, "support": 40, "batch": 16}).fit(training, validation)
    figure("triplet_on_planted_images", auroc(probe.score(test), test.labels), "auroc", ">= 0.9")

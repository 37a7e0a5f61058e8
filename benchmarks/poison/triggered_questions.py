"""A general trigger on the demo: how many questions with the word find what is planted, and how many without it."""

import json

import pyarrow.parquet as pq

from common import clone

TARGETS = {"demo_triggered": ("with", ">= 0.8"), "demo": ("without", "<= 0.05")}


def configured(_project) -> dict:
    cells = [{"datasets": [*TARGETS], "retrievers": ["minilm"], "attacks": ["general_trigger"]}]
    return {"under_attack": {"cells": cells}}


def measure(figure, project=None) -> None:
    clone.result("results/metrics/attacks.parquet", configured, lambda path: _figures(figure, path), project)


def _figures(figure, path):
    for row in pq.read_table(path).to_pylist():
        keys = json.loads(row["keys"])
        wanted = (row["table"], row["metric"], keys.get("attack"), keys.get("k"))
        if wanted == ("retrieval", "reached", "general_trigger", "5"):
            name, target = TARGETS[keys["dataset"]]
            figure(f"questions_{name}_trigger_that_find_it", row["value"], "share", target)
            figure(f"questions_{name}_trigger", row["n"], "questions")

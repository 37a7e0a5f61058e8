"""A general trigger on the demo: how many questions with the word find what is planted, and how many without it."""

import json

import pyarrow.parquet as pq
import yaml

from common.clone import cloned, snakemake
from common.figures import figure

RESULT = "results/metrics/attacks.parquet"
TARGETS = {"demo_triggered": ("with", ">= 0.8"), "demo": ("without", "<= 0.05")}


def triggers() -> None:
    cells = [{"datasets": [*TARGETS], "retrievers": ["minilm"], "attacks": ["general_trigger"]}]
    with cloned() as clone:
        (clone / "mine.yaml").write_text(yaml.safe_dump({"under_attack": {"cells": cells}}))
        snakemake(clone, RESULT, "--configfile", "mine.yaml")
        rows = pq.read_table(clone / RESULT).to_pylist()
    for row in rows:
        keys = json.loads(row["keys"])
        wanted = (row["table"], row["metric"], keys.get("attack"), keys.get("k"))
        if wanted == ("retrieval", "reached", "general_trigger", "5"):
            name, target = TARGETS[keys["dataset"]]
            figure(f"questions_{name}_trigger_that_find_it", row["value"], "share", target)

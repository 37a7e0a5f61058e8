"""What defences cost, as rows of the table metrics: passages that they look at, and time, which differs from
machine to machine and from run to run.
"""

import json
from collections.abc import Iterator

import numpy as np

from ragassay.metrics.panel import Panel
from ragassay.schemas.report import Section
from ragassay.studies.poisoning.measures.detection import CELL

COSTS = Section("raguard_costs")


def cost_rows(keys: dict, filtered, questions: int, forwards: int) -> Iterator[dict]:
    """Passages that a defence looks at for each question, and how often a language model runs for these. `forwards` is
    how often it runs for a passage before that can be judged; those of clean passages are stored once, so that this is
    the most.
    """
    looked = len(filtered) / questions if questions else 0.0
    yield from COSTS.rows("costs", keys, {"passages": looked, "forwards": looked * forwards}, questions)


def time_rows(times, prices: list[dict], resamples: int, seed: int) -> Iterator[dict]:
    """Milliseconds of the processor that a defence takes for a question, beside the calls that it asks of a model."""
    for row in times.to_dict("records"):
        keys = {name: row[name] for name in CELL}
        seconds = np.asarray(row["seconds"], float)
        if len(seconds):
            panel = Panel(np.arange(len(seconds)), resamples, seed)
            yield COSTS.row("costs", keys, "milliseconds", **panel.mean(1000 * seconds).row())
    for row in prices:
        if row["metric"] == "calls":
            keys = {name: value for name, value in json.loads(row["keys"]).items() if name in CELL}
            yield COSTS.row("costs", keys, "calls", row["value"], row["n"])
    for machine, rows in times.groupby("machine"):
        yield COSTS.row("machines", {"machine": machine}, "cells", len(rows), len(rows))

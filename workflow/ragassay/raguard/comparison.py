"""Defences compared at the same share of false alarms, on the same poisoned passages, with paired tests."""

from collections.abc import Iterator

import numpy as np

from ragassay.metrics.paired import holm
from ragassay.metrics.panel import Panel
from ragassay.raguard.detection import SECTION, caught

FPR, FLIPS = 0.05, 9_999


def difference_rows(judged: dict, resamples: int, seed: int, base: str = "raguard") -> Iterator[dict]:
    """How much more of the poison each defence finds than `base` does, and p of the difference, corrected for all
    defences on the same attack. `judged` has the rows of each cell.
    """
    cells = {}
    for cell, rows in judged.items():
        cells.setdefault(cell[:3], {})[cell[3]] = rows
    for cell, by_defence in cells.items():
        others = [name for name, rows in by_defence.items() if name != base and rows["score"].nunique() > 1]
        if base not in by_defence or not others or not by_defence[base]["poison"].any():
            continue
        hits = {name: _hits(by_defence[name]) for name in (base, *others)}
        poison = hits[base].index
        differences = np.column_stack([hits[name].reindex(poison) - hits[base] for name in others])
        panel = Panel(poison.get_level_values(0), resamples, seed)
        estimates, values = panel.mean(differences), holm(panel.p(differences, FLIPS))
        for at, name in enumerate(others):
            keys = dict(zip(("dataset", "retriever", "attack"), cell, strict=True)) | {"defence": name}
            yield SECTION.row("differences", keys, "difference", **estimates.row(at))
            yield SECTION.row("differences", keys, "p", values[at], len(poison))


def _hits(rows):
    """1 for each poisoned passage that is found at this share of false alarms, by target and passage."""
    found = rows.assign(hit=caught(rows, FPR).astype(float))
    return found[found["poison"]].set_index(["target_id", "passage_id"])["hit"].sort_index()

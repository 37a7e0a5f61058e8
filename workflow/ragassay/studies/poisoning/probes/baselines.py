"""Scores that other methods give to the prompts of a study, in the order of its samples."""

from pathlib import Path

import numpy as np

from ragassay.base import tables
from ragassay.schemas.defences import BASELINE_SCORES

KEY = ("target_id", "condition", "side")


def baselines_of(files, pairs: dict) -> dict[str, np.ndarray]:
    """Name of the method, which is that of its file -> samples x 1 x 1; NaN where it has none. `pairs` are columns."""
    wanted, found = list(zip(*(pairs[name] for name in KEY), strict=True)), {}
    for path in map(Path, files):
        scores = {
            tuple(row[name] for name in KEY): row["score"] for row in tables.read(BASELINE_SCORES, path).to_pylist()
        }
        values = [scores.get(key) for key in wanted]
        found[path.stem] = np.array([np.nan if one is None else one for one in values], float)[:, None, None]
    return found

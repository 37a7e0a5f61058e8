"""Gates with and without a confidence, each calibrated by few of the questions of which there are many."""

from pathlib import Path

import numpy as np

from common.figures import figure
from ragassay.base import tables
from ragassay.schemas.relevance import RELEVANCE_SCORES
from ragassay.studies.relevance import calibration

GATES, CALIBRATING, ALPHA = 400, 200, 0.05
SCORES = [f"results/relevance_scores/pubmed/minilm/{queries}.parquet" for queries in ("pubmedqa", "bioasq_yn")]


def gates(results: Path) -> None:
    """Gates by the top similarity, each calibrated by other questions about abstracts: how many of them turn away more
    than a share alpha of the questions that are left, and how many questions from elsewhere they turn away; beside
    gates without a confidence, which keep to alpha on average.
    """
    known, other = (_mss(results.parent / path) for path in SCORES)
    chance, above, away = np.random.default_rng(0), {}, {}
    divisions = [np.split(chance.permutation(known), [CALIBRATING]) for _ in range(GATES)]
    for confidence in (None, 0.95):
        shares = [
            [calibration.rejected(ours, asked, ALPHA, confidence=confidence).mean() for asked in (left, other)]
            for ours, left in divisions
        ]
        alarms, found = np.array(shares).T
        above[confidence], away[confidence] = np.mean(alarms > ALPHA), found.mean()
    figure("gates_with_confidence_above_alpha", above[0.95], "share", "<= 0.05", above[None])
    figure("gates_with_confidence_turn_away", away[0.95], "share", ">= 0.8", away[None])


def _mss(path):
    rows = tables.read(RELEVANCE_SCORES, path).to_pylist()
    return np.array([row["value"] for row in rows if row["statistic"] == "mss"])

"""The seven statistics of 10,000 queries of 32 neighbours each, calibrated by 300, beside a sort of the same scores."""

import numpy as np

from common.figures import figure
from common.turns import by_turns

QUERIES, K, KNOWN, ROUNDS = 10_000, 32, 300, 60


def statistics_of_many() -> None:
    from ragassay.studies.relevance import calibration, statistics

    draw = np.random.default_rng(0)
    shuffled = np.round(draw.normal(0.4, 0.1, (QUERIES, K)), 5)
    scores = -np.sort(-shuffled, axis=1)
    known = -np.sort(-np.round(draw.normal(0.45, 0.1, (KNOWN, K)), 5), axis=1)

    def seven():
        for name in statistics.SIMPLE:
            statistics.statistic(name, scores)
        calibration.combinations(known, scores)

    seconds = by_turns({"seven": seven, "sort": lambda: np.sort(shuffled, axis=1)}, ROUNDS)
    best, sort = min(seconds["seven"]), min(seconds["sort"])
    figure("seven_statistics_10k", best, "cpu_s", f"<= {10 * sort:.4g}", sort)

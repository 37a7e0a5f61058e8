"""The seven statistics of 10,000 queries of 32 neighbours each, calibrated by 300, beside a sort of the same scores."""

import time

import numpy as np

QUERIES, K, KNOWN, ROUNDS = 10_000, 32, 300, 60


def measure(figure) -> None:
    from ragassay.studies.relevance import calibration, statistics

    draw = np.random.default_rng(0)
    shuffled = np.round(draw.normal(0.4, 0.1, (QUERIES, K)), 5)
    scores = -np.sort(-shuffled, axis=1)
    known = -np.sort(-np.round(draw.normal(0.45, 0.1, (KNOWN, K)), 5), axis=1)

    def seven():
        for name in statistics.SIMPLE:
            statistics.statistic(name, scores)
        calibration.combinations(known, scores)

    tasks = {"seven": seven, "sort": lambda: np.sort(shuffled, axis=1)}
    seconds = {name: [] for name in tasks}
    for _ in range(ROUNDS):
        for name, task in tasks.items():
            start = time.process_time()
            task()
            seconds[name].append(time.process_time() - start)
    best = {name: min(own) for name, own in seconds.items()}
    figure("seven_statistics_10k", best["seven"], "cpu_s", f"<= {10 * best['sort']:.4g}", best["sort"])

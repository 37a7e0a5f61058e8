"""Processor time of this process, which others on the machine disturb less than they do time by the clock."""

import statistics
import time
from collections.abc import Callable

TURNS = 3


def median(run: Callable) -> float:
    """Of several turns, in seconds."""
    return medians(run)[0]


def medians(*runs: Callable) -> list[float]:
    """The same for each of several, which take turns, so that a slower minute slows all of them."""
    costs = [[] for _ in runs]
    for _ in range(TURNS):
        for own, run in zip(costs, runs, strict=True):
            start = time.process_time()
            run()
            own.append(time.process_time() - start)
    return [statistics.median(own) for own in costs]

"""Processor time of this process, which others on the machine disturb less than they do time by the clock."""

import statistics
import time
from collections.abc import Callable

TURNS = 3


def median(run: Callable) -> float:
    """Of several turns, in seconds."""
    costs = []
    for _ in range(TURNS):
        start = time.process_time()
        run()
        costs.append(time.process_time() - start)
    return statistics.median(costs)

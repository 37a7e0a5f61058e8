"""Processor time of ways that are compared: they take turns, so that other work on the machine takes from all alike."""

import statistics
import time
from collections.abc import Callable


def processor_seconds(work: Callable) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def by_turns(ways: dict[str, Callable], rounds: int) -> dict[str, list[float]]:
    """Seconds of each way in each round; who goes first changes."""
    seconds = {name: [] for name in ways}
    for number in range(rounds):
        for name in list(ways) if number % 2 else reversed(ways):
            seconds[name].append(processor_seconds(ways[name]))
    return seconds


def ratio(seconds: dict[str, list[float]], one: str, other: str) -> float:
    """How much longer one takes than another: the median over rounds."""
    return statistics.median(a / b for a, b in zip(seconds[one], seconds[other], strict=True))


def medians(*ways: Callable, rounds: int = 3) -> list[float]:
    seconds = by_turns({str(place): way for place, way in enumerate(ways)}, rounds)
    return [statistics.median(own) for own in seconds.values()]

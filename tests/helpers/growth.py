"""How work grows with what it is given: counted in calls, or by comparing processor times where one call does it all,
as with a regular expression. Either way the speed of the machine cancels out. And how much memory work takes.
"""

import sys
import time
import tracemalloc

import pyarrow as pa

TRIES = 5


def calls(work) -> int:
    """How many functions `work()` calls, of Python and of C."""
    counts = {"call": 0, "c_call": 0}

    def count(_, event, __):
        if event in counts:
            counts[event] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return sum(counts.values())


def is_proportional(work, size: int, times: int = 8) -> bool:
    """Whether `work(times * size)` takes about `times` as long as `work(size)`, and not its square. Other work on
    the machine only makes a try longer, so the shortest of some count, and the one for `size` is known first.
    """
    less = min(_seconds(work, size) for _ in range(2 * TRIES))
    return any(_seconds(work, times * size) < times / 2 * times * less for _ in range(TRIES))


def _seconds(work, size: int) -> float:
    begin = time.thread_time()
    work(size)
    return time.thread_time() - begin


def peak(work) -> int:
    """The most bytes that `work()` holds at once, in Python, numpy and Arrow."""
    pool, usual = pa.proxy_memory_pool(pa.default_memory_pool()), pa.default_memory_pool()
    pa.set_memory_pool(pool)
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] + pool.max_memory()
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(usual)

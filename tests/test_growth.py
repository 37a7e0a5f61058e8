"""The measures of growth tell proportional work from quadratic work."""

import re

import numpy as np
import pyarrow as pa

from growth import calls, is_proportional, peak
from project import ROOT


def quadratic(size):
    return [number for number in range(size) for _ in range(size)]


def test_quadratic_work_is_not_proportional():
    assert not is_proportional(quadratic, 200)
    assert not is_proportional(lambda size: re.search(r"a*b", "a" * size), 2_000)


def test_proportional_work_is():
    assert is_proportional(lambda size: [number * number for number in range(size)], 20_000)
    assert is_proportional(lambda size: re.search(r"a+b?$", "a" * size), 20_000)


def test_calls_are_counted():
    assert calls(lambda: [abs(number) for number in range(30)]) - calls(lambda: None) in (30, 31)


def test_memory_is_counted_while_it_is_held():
    assert peak(lambda: [bytes(1_000_000) for _ in range(5)]) > 5_000_000 > peak(lambda: [len(bytes(9_000))] * 9)
    assert peak(lambda: np.ones(1_000_000)) > 8_000_000 and peak(lambda: pa.array(range(1_000_000))) > 8_000_000


def test_no_test_measures_seconds():
    """How long something may take depends on the machine: benchmarks say it, tests compare work with work."""
    clocks = re.compile(r"\b(perf_counter|process_time|thread_time|getrusage)\b")
    found = [path.name for path in (ROOT / "tests").rglob("*.py") if clocks.search(path.read_text())]
    assert sorted(found) == ["growth.py", "test_growth.py"]

"""Fuzz the parsers of model output with 124,000 completions, and time them.

The same kinds of completions as in tests/ragassay/calls/parsers/test_parsing_fuzz.py, whose assertions hold for each:
no crash, no verdict and no list accepted that a mutation has destroyed. The limit of a time is to look at each
character once, `str.translate`.
"""

import importlib.util
import sys
import time
from pathlib import Path

from common.figures import figure, finish

TARGET = 0.05  # seconds for one completion
ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "workflow"), str(ROOT / "tests/helpers")]
COUNTS = {
    "harmless_verdict": 25_000,
    "destroyed_verdict": 25_000,
    "lists": 24_000,
    "objects": 24_000,
    "noise": 24_000,
    "long_runs": 2_000,
}


def fuzz():
    """The module of the tests, by its path: tests are no package."""
    spec = importlib.util.spec_from_file_location("fuzz", ROOT / "tests/ragassay/calls/parsers/test_parsing_fuzz.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Stopwatch:
    """Stands in the place of the fuzz's `parsed`: the longest time that a parser took for one completion, in seconds.

    Where one took longer than the target, the best of five tries counts: garbage that others have left is not its own.
    """

    def __init__(self, parsed):
        self.parsed, self.slowest = parsed, 0.0

    def __call__(self, *arguments):
        best = float("inf")
        for _ in range(5):
            begin = time.thread_time()
            result = self.parsed(*arguments)
            best = min(best, time.thread_time() - begin)
            if best <= TARGET:
                break
        self.slowest = max(self.slowest, best)
        return result


def main():
    kinds = fuzz()
    kinds.parsed = stopwatch = Stopwatch(kinds.parsed)
    wrong = 0
    for name, count in COUNTS.items():
        kind = getattr(kinds, name)
        for seed in range(count // 100):
            try:
                kinds.fuzz(kind, 100, seed)
            except AssertionError as problem:
                wrong += 1
                sys.stderr.write(f"{name}, seed {seed}: {str(problem)[:400]!r}\n")
    figure("fuzzed_completions", sum(COUNTS.values()), "completions", ">= 100000")
    figure("fuzzed_completions_wrong", wrong, "completions", "== 0")
    text = "The bell rang in 2024. " * 900
    begin = time.thread_time()
    text.translate({ord("A"): "a"})
    figure(
        "slowest_parse", 1000 * stopwatch.slowest, "ms", f"<= {1000 * TARGET:g}", 1000 * (time.thread_time() - begin)
    )
    begin = time.thread_time()
    for parse in (kinds.parse_numbered, kinds.parse_verdict):
        parse("1. " + "The bell rang in 2024. " * 43_500 + "Yes.")
    figure("parse_of_a_megabyte", 500 * (time.thread_time() - begin), "ms", "<= 50")
    finish()


if __name__ == "__main__":
    main()

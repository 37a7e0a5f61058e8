"""Figures of benchmarks, printed in one form, each with what it was measured on. What a benchmark imports after this
module finds the library and the helpers of the tests.

`figure` prints what was measured beside its target, `count` what tables of the docs are calculated from. `keep.py` puts
what is printed into the benchmark's file.
"""

import operator
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from common.memory import is_task

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW, HELPERS = str(ROOT / "workflow"), str(ROOT / "tests/helpers")
sys.path[:0] = [folder for folder in (WORKFLOW, HELPERS) if folder not in sys.path]
COMPARE = {"<=": operator.le, "<": operator.lt, ">": operator.gt, ">=": operator.ge, "==": operator.eq}
short = []


def figure(name: str, value: float, unit: str, target: str, limit: float | None = None) -> None:
    """One line: what was measured, what is possible at best or a peer measured beside it, their ratio, the target (such
    as "<= 3"), and whether the figure reaches it.
    """
    sign, aim = target.split()
    reached = reaches(value, target)
    best = "-" if limit is None else _digits(limit)
    ratio = "-" if not limit else f"{value / limit:.3g}"
    verdict = "ok" if reached else "short"
    line = f"figure {name} {_digits(value)} {unit} limit {best} ratio {ratio} target {sign}{aim} {verdict}"
    sys.stdout.write(f"{line} {_measured_on()}\n")
    sys.stdout.flush()
    if not reached:
        short.append(name)


def count(name: str, value: float, unit: str) -> None:
    """One line that a table of the docs is calculated from: neither good nor bad."""
    sys.stdout.write(f"count {name} {_digits(value)} {unit} {_measured_on()}\n")
    sys.stdout.flush()


def reaches(value: float, target: str) -> bool:
    sign, aim = target.split()
    return COMPARE[sign](value, float(aim))


def parts(runs: dict[str, Callable[[], None]], tasks: dict[str, Callable] | None = None) -> None:
    """What a benchmark does when it is started: all its parts, or those that the command line names. `tasks` are for
    processes of their own (see memory.py).
    """
    if is_task(tasks or {}):
        return
    names = sys.argv[1:] or list(runs)
    if unknown := [name for name in names if name not in runs]:
        sys.exit(f"found no part {', '.join(unknown)}, expected some of {', '.join(runs)}")
    for name in names:
        runs[name]()
    finish()


def finish() -> None:
    """Exit with 1 if a figure is short of its target."""
    sys.exit(1 if short else 0)


def _digits(value: float) -> str:
    """A number as it is counted, or with four digits as it is measured."""
    return str(int(value)) if isinstance(value, int) else f"{value:.4g}"


def _measured_on() -> str:
    """The commit that is checked out, whether files differ from it, and how much other work there was."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty=-changed", "--exclude=*"]
    done = subprocess.run(command, capture_output=True, text=True)
    return f"commit {done.stdout.strip() or 'unknown'} load {os.getloadavg()[2]:.1f}/{os.cpu_count()}"

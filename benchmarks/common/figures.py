"""Print figures in the one form that all benchmarks use, and remember whether one of them falls short."""

import operator
import os
import subprocess
import sys
from pathlib import Path

COMPARE = {"<=": operator.le, "<": operator.lt, ">": operator.gt, ">=": operator.ge, "==": operator.eq}
short = []


def figure(name: str, value: float, unit: str, target: str | None = None, limit: float | None = None) -> None:
    """One line: what was measured, what is possible at best, their ratio, the target (such as "<= 3"), and whether the
    figure reaches it. A figure without a target is shown.
    """
    sign, aim = target.split() if target else ("-", "")
    reached = reaches(value, target)
    best = "-" if limit is None else f"{limit:.4g}"
    unit = unit or "-"
    ratio = "-" if not limit else f"{value / limit:.3g}"
    verdict = "shown" if not target else "ok" if reached else "short"
    sys.stdout.write(f"figure {name} {value:.4g} {unit} limit {best} ratio {ratio} target {sign}{aim} {verdict}\n")
    sys.stdout.flush()
    if not reached:
        short.append(name)


def reaches(value: float, target: str | None) -> bool:
    """Whether a value is as its target says; a figure without one cannot be wrong."""
    sign, aim = target.split() if target else (">=", "-inf")
    return COMPARE[sign](value, float(aim))


def finish() -> None:
    """Say what was measured, and beside how much other work; exit with 1 if a figure is short of its target."""
    load, processors = os.getloadavg()[2], os.cpu_count()
    sys.stdout.write(f"measured at commit {_commit()}, load {load:.1f} on {processors} processors\n")
    sys.exit(1 if short else 0)


def _commit():
    """The commit that is checked out, and whether files differ from it."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty=-changed", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):  # a copy without a repository, or no git
        return "unknown"

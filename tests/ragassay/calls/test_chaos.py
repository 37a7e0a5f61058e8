"""A stage that is killed anywhere and run again loses nothing and pays for nothing twice that it had."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


def python(*arguments):
    """What a process of its own prints: a stage is forked from it, which a process with threads had better not do."""
    done = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_kills_at_each_point_and_out_of_the_blue():
    """`make bench-chaos` does a thousand."""
    printed = python(BENCHMARKS / "chaos.py", "calls", 8)
    assert len(re.findall(r"^figure .* ok ", printed, re.MULTILINE)) == 9


# With one request at a time it is known what the kill meets: (samples that the ledger reports, requests that the
# server got in vain).
ONE_AT_A_TIME = {
    "before intent": (0, 0),
    "half intent": (0, 0),
    "after intent": (2, 0),  # written down and never sent: the ledger cannot know
    "before send": (2, 0),
    "after send": (2, 1),
    "before reply": (2, 1),
    "half reply": (2, 1),
    "after reply": (0, 0),
    "before cost": (0, 0),
    "half cost": (0, 0),
    "after cost": (0, 0),
    "before output": (0, 0),
    "after output": (0, 0),
    "before rename": (0, 0),
    "after rename": (0, 0),
    "before lease": (0, 0),
    "after lease": (0, 0),
}
STORY = """
import sys, tempfile; from pathlib import Path; sys.path.insert(0, {folder!r})
from kills.calls import Ledger, Loopback, Story
with tempfile.TemporaryDirectory() as scratch, Loopback() as server:
    for point in {points!r}:
        story = Story(server, Path(scratch) / point, concurrency=1, rows=6)
        killed, done = story.run(point), story.run()
        ledger = Ledger(story.ledger)
        found = story.count()
        print(point, killed, done, ledger.possibly_billed_twice, found["repeats"], found["untold"], sep=",")
        server.control()
"""


def test_a_kill_at_each_point_costs_what_the_ledger_says():
    found = python("-c", STORY.format(folder=str(BENCHMARKS), points=list(ONE_AT_A_TIME))).splitlines()
    expected = [f"{point},-9,0,{told},{seen},0" for point, (told, seen) in ONE_AT_A_TIME.items()]
    assert found == expected


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_kill_around_a_sync_loses_nothing(when):
    """It is another thread that syncs, so what the kill meets is not known."""
    (found,) = python("-c", STORY.format(folder=str(BENCHMARKS), points=[f"{when} sync"])).splitlines()
    point, killed, done, told, seen, untold = found.split(",")
    assert (point, killed, done, untold) == (f"{when} sync", "-9", "0", "0")
    assert int(seen) <= 1 and int(told) <= 2

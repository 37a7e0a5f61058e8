"""A stage that is killed anywhere and run again loses nothing and pays for nothing twice that it had."""

import re
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


def python(*arguments):
    """What a process of its own prints: a stage is forked from it, which a process with threads had better not do."""
    done = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_kills_at_each_point_and_out_of_the_blue():
    """`make bench-chaos` does a thousand."""
    printed = python(BENCHMARKS / "chaos.py", "calls", 4)
    assert len(re.findall(r"^figure .* ok ", printed, re.MULTILINE)) == 9


# With one request at a time it is known what the kill meets: (samples that the ledger reports, requests that the
# server got in vain).
ONE_AT_A_TIME = {
    **dict.fromkeys(("before intent", "half intent"), (0, 0)),
    **dict.fromkeys(("after intent", "before send"), (2, 0)),  # the ledger cannot know that it was never sent
    **dict.fromkeys(("after send", "before reply", "half reply"), (2, 1)),
    **dict.fromkeys(("after reply", "before cost", "half cost", "after cost", "before output", "after output"), (0, 0)),
    **dict.fromkeys(("before rename", "after rename", "before lease", "after lease"), (0, 0)),
}
STORY = """
import sys, tempfile; from pathlib import Path; sys.path.insert(0, {folder!r})
from kills.calls import Ledger, Loopback, Story
with tempfile.TemporaryDirectory() as scratch, Loopback() as server:
    for point in {points!r}:
        story = Story(server, Path(scratch) / point, concurrency=1, rows=6)
        killed, done = story.run(point), story.run()
        ledger = Ledger(story.ledger)
        counts = story.count()
        print(point, killed, done, ledger.possibly_billed_twice, counts["repeats"], counts["untold"], sep=",")
        server.control()
"""


def test_a_kill_at_each_point_costs_what_the_ledger_says():
    lines = python("-c", STORY.format(folder=str(BENCHMARKS), points=list(ONE_AT_A_TIME))).splitlines()
    assert lines == [f"{point},-9,0,{billed},{repeats},0" for point, (billed, repeats) in ONE_AT_A_TIME.items()]

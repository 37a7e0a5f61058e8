"""Tasks of a benchmark in processes of their own, so that the memory that one takes is its own.

`peak_megabytes` is not what getrusage says: that counts what the process which started this one had at that moment.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

TASK = "task"  # the first argument of such a process


def peak_megabytes() -> float:
    """The most that this process has had resident."""
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024


def task(name: str, *words):
    """What the task of this name gives, in another process of the benchmark that runs now."""
    command = [sys.executable, sys.argv[0], TASK, name, *map(str, words)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def is_task(tasks: dict) -> bool:
    """Whether this process was started for a task; then it is done and printed."""
    if sys.argv[1:2] != [TASK]:
        return False
    sys.stdout.write(json.dumps(tasks[sys.argv[2]](*sys.argv[3:])) + "\n")
    return True

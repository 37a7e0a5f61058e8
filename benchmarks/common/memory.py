"""Tasks of a benchmark in processes of their own, so that the memory that one takes is its own.

`peak_megabytes` is not what getrusage says: that counts what the process which started this one had at that moment.
`python memory.py PROGRAM ARGUMENTS` runs a Python program and prints last its CPU seconds and peak megabytes, start and
imports with them.
"""

import contextlib
import json
import math
import re
import runpy
import subprocess
import sys
import time
from pathlib import Path

TASK = "task"  # the first argument of such a process
PAUSE = 0.1  # seconds between two looks at its memory


def peak_megabytes() -> float:
    """The most that this process has had resident."""
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024


def task(name: str, *words, most: float = math.inf):
    """What the task of this name gives, in another process of the benchmark that runs now; None if it took more than so
    many megabytes and was ended.
    """
    command = [sys.executable, sys.argv[0], TASK, name, *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as job:
        status = Path(f"/proc/{job.pid}/status")
        while most < math.inf and job.poll() is None:
            resident = re.search(r"VmRSS:\s+(\d+) kB", status.read_text())  # none in the moment of its end
            if resident and int(resident[1]) / 1024 > most:
                job.kill()
                return None
            time.sleep(PAUSE)
        printed = job.stdout.read()
    if job.returncode:
        sys.exit(f"{' '.join(command)} ended with status {job.returncode}")
    return json.loads(printed.splitlines()[-1])


def is_task(tasks: dict) -> bool:
    """Whether this process was started for a task; then it is done and printed."""
    if sys.argv[1:2] != [TASK]:
        return False
    sys.stdout.write(json.dumps(tasks[sys.argv[2]](*sys.argv[3:])) + "\n")
    return True


if __name__ == "__main__":
    sys.argv = sys.argv[1:]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    with contextlib.suppress(SystemExit):
        runpy.run_path(sys.argv[0], run_name="__main__")
    sys.stdout.write(json.dumps([time.process_time(), peak_megabytes()]) + "\n")

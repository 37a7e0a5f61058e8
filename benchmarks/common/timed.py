"""`python timed.py PROGRAM ARGUMENTS` runs a Python program and prints last its CPU seconds and peak megabytes, with
those of starting and importing.
"""

import contextlib
import json
import runpy
import sys
import time
from pathlib import Path

from memory import peak_megabytes

if __name__ == "__main__":
    sys.argv = sys.argv[1:]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    with contextlib.suppress(SystemExit):
        runpy.run_path(sys.argv[0], run_name="__main__")
    sys.stdout.write(json.dumps([time.process_time(), peak_megabytes()]) + "\n")

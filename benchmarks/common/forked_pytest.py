"""A process that has imported pytest and the large libraries, and forks for each run of tests.

A run then takes as long as its tests do. Nothing of the project is imported before the fork, so a run sees the files as
they are. `python forked_pytest.py` reads runs from standard input, one JSON object a line: tests (of the working
folder), seconds (that they may take). It answers each with a line: status (null if they took longer), test (the first
that failed).
"""

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

LIBRARIES = ("pandas", "pyarrow.parquet", "scipy.stats", "sklearn.linear_model", "torch", "transformers")
OPTIONS = ("--quiet", "-x", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class ForkedPytest:
    """Runs tests of a folder, one run after another."""

    def __init__(self, folder: Path):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        environment = os.environ | ONE_THREAD | {"PYTHONPATH": ""}
        self.process = subprocess.Popen([sys.executable, "-P", __file__], cwd=folder, env=environment, **pipes)

    def run(self, tests: list[str], seconds: float) -> tuple[int | None, str]:
        """The exit status, none if they took longer, and the first test that failed."""
        self.process.stdin.write(json.dumps({"tests": tests, "seconds": seconds}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["status"], answer["test"]


class FirstFailure:
    """A plugin that writes the first failure to a pipe."""

    def __init__(self, pipe: int):
        self.pipe = pipe

    def pytest_runtest_logreport(self, report):
        if report.failed:
            os.write(self.pipe, report.nodeid.encode() + b"\n")

    pytest_collectreport = pytest_runtest_logreport


def fork(tests: list[str], seconds: float) -> dict:
    answer, pipe = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        os.close(answer)
        os._exit(pytest.main([*OPTIONS, *tests], plugins=[FirstFailure(pipe)]))
    os.close(pipe)
    hung = threading.Event()

    def end():
        hung.set()
        os.killpg(child, signal.SIGKILL)

    limit = threading.Timer(seconds, end)
    limit.start()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    limit.cancel()
    with contextlib.suppress(ProcessLookupError):  # what tests have left behind
        os.killpg(child, signal.SIGKILL)
    with os.fdopen(answer) as failures:
        test = failures.readline().strip()
    return {"status": None if hung.is_set() else status, "test": test}


if __name__ == "__main__":
    for library in LIBRARIES:
        importlib.import_module(library)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(fork(**json.loads(line))) + "\n")
        sys.stdout.flush()

"""Jobs that ask one model side by side, as those of a workflow do: each a process of its own, with a ledger of its own
and a common register, and by the log of the server how many requests they sent in a second and had in flight.

All are forked from one process that has loaded the library, so that they can start together.
"""

import bisect
import multiprocessing
import os
import sys
import time
from pathlib import Path

from tools.loopback import Loopback

OVER_BUDGET = 3  # how a job ends whose model has a cap that the next request might pass
WORKFLOW = str(Path(__file__).resolve().parents[2] / "workflow")
os.environ["PYTHONPATH"] = WORKFLOW
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    ["ragassay.calls.complete", "ragassay.calls.providers.openai", "openai.resources.chat", "httpcore2"]
)


def ask(settings: dict, folder: str, name: str, requests: int) -> None:
    """What a job does."""
    from ragassay.calls.complete import complete
    from ragassay.calls.limits.money import OverBudget
    from ragassay.calls.model import Model, Request

    os.environ["JOB_KEY"] = settings.pop("key")
    model = Model("tested", "openai", "loopback", key_variable="JOB_KEY", register=f"{folder}/model", **settings)
    questions = [[{"role": "user", "content": f"{name}, question {number}"}] for number in range(requests)]
    try:
        for _ in complete([Request(question, {"max_tokens": 5}) for question in questions], model, f"{folder}/{name}"):
            pass
    except OverBudget:
        sys.exit(OVER_BUDGET)


class Jobs:
    """`start` some; those that still run at the end are killed."""

    def __init__(self, server: Loopback, folder, **settings):
        self.server, self.folder = server, str(folder)
        self.settings = {"base_url": server.url, "key": server.key, "price": {"input": 0, "output": 0}, **settings}
        self.processes = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.join()

    def start(self, *requests: int, apart: float = 0.0) -> None:
        """Jobs of so many requests each, so many seconds apart."""
        for number in requests:
            work = (self.settings, self.folder, f"job{len(self.processes)}", number)
            self.processes.append(PROCESSES.Process(target=ask, args=work))
            self.processes[-1].start()
            time.sleep(apart)

    def wait(self) -> list[int]:
        """How each of them ended. Of one that was killed early the fork server may not know how, and says 255."""
        for process in self.processes:
            process.join()
        return [-9 if process.exitcode == 255 else process.exitcode for process in self.processes]

    def until_asked(self, requests: int) -> None:
        while self.server.summary()["requests"] < requests:
            time.sleep(0.01)


def asked(server: Loopback) -> list[float]:
    """When each request came."""
    return sorted(line["time"] for line in server.log() if line["event"] == "asked")


def most_in_a_second(server: Loopback) -> int:
    times = asked(server)
    return max(bisect.bisect_left(times, start + 1.0) - number for number, start in enumerate(times))

"""Show how a run of calls is going, and report it to the run: a line after ten seconds, then one a minute; a small
file in the run's folder, from which `ragassay.calls.overview` adds up all jobs. Rate and time left go by what the
model answered in the last minute: answers out of the ledger, which come in a burst, promise nothing."""

import asyncio
import json
import os
import time
from collections import Counter, deque
from pathlib import Path
from uuid import uuid4

from ragassay.base.stage import log
from ragassay.base.terminal import clock
from ragassay.calls.ledger.records import PICO, Ledger
from ragassay.calls.model import Model

FOLDER = "RAGASSAY_RUN"  # the environment variable that names the run's folder
FIRST_SECONDS, SECONDS = 10.0, 60.0  # until the first line, and between lines
RECENT_SECONDS = 60.0
REPORT_SECONDS = 2.0
COUNTS = {"requests": "requests", "retries": "retries", "failures": "failures", "samples": "samples"}
COUNTS |= {"prompt_tokens": "prompt", "completion_tokens": "completion"}


class Recent:
    """What the last minute and the last line say of a run."""

    def __init__(self):
        self.marks = deque([(time.monotonic(), 0)])  # when how many calls were answered by models
        self.failures = Counter()  # those in earlier lines

    def rate(self, now: float, answered: int) -> float:
        """Answers of models per second."""
        since, before = self.marks[0]
        self.marks.append((now, answered))
        while len(self.marks) > 1 and self.marks[1][0] <= now - RECENT_SECONDS:
            self.marks.popleft()
        return (answered - before) / max(now - since, 1e-9)

    def trouble(self, failures: Counter, last: str) -> str:
        """What failed since the last line; empty if nothing did."""
        new, self.failures = failures - self.failures, Counter(failures)
        if not new:
            return ""
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in new.most_common())
        return f"; failed since the last line: {kinds}; the last: {last}"


class Report:
    """The file that a job writes for its run; without a run nothing is written."""

    def __init__(self, model: Model, ledger: Ledger):
        self.model, self.ledger, self.before = model, ledger, Counter(ledger.counts)
        self.folder = os.environ.get(FOLDER) if model.mode != "replay" else None
        self.rule, self.keys = rule_and_keys(ledger.folder)
        self.name = f"{uuid4().hex}.json"  # a job may ask in several rounds

    def write(self, progress, caller, ended: bool = False) -> None:
        if not self.folder:
            return
        report = {"rule": self.rule, "keys": self.keys, "model": self.model.name, "ended": ended}
        report |= {"done": progress.done, "total": progress.total, "known": caller.known}
        report |= {"in_flight": caller.in_flight, "waiting": caller.waiting}
        report |= {"pause": caller.pace.pause_left, "cap": self.model.budget_usd}
        report |= {"trouble": dict(caller.failures), "last_failure": caller.last_failure}
        for name, counted in COUNTS.items():
            report[name] = self.ledger.counts[counted] - self.before[counted]
        report["dollars"] = (self.ledger.counts["pico"] - self.before["pico"]) / PICO
        path = Path(self.folder, self.name)
        beside = path.with_suffix(".new")
        beside.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps(report))
        beside.replace(path)


class Progress:
    """`total` is the number of calls, if it is known; each that has its answers adds one to `done`. With a `report` the
    run shows its own lines on the terminal in place of the job's.
    """

    def __init__(self, name: str, total: int | None = None, report: Report | None = None):
        self.name, self.total, self.done, self.report = name, total, 0, report
        self.recent = Recent()

    async def tell(self, caller) -> None:
        """Line after line, until cancelled."""
        due, last = time.monotonic() + FIRST_SECONDS, 0
        while True:
            self.post(caller)
            await asyncio.sleep(max(0.0, min(REPORT_SECONDS, due - time.monotonic())))
            if time.monotonic() < due:
                continue
            if self.done > last or not caller.batched:  # what batches wait for is reported separately
                log.info("%s", self.line(time.monotonic(), caller), extra={"in_the_runs_line": True})
            due, last = time.monotonic() + SECONDS, self.done

    def post(self, caller, ended: bool = False) -> None:
        """Report to the run."""
        if self.report:
            self.report.write(self, caller, ended)

    def line(self, now: float, caller) -> str:
        rate = self.recent.rate(now, self.done - caller.known)
        total = left = ""
        if self.total is not None:
            total = f" of {self.total:,}"
            left = f", {clock((self.total - self.done) / rate)} left" if rate else ""
        line = f"{self.name}: {self.done:,}{total} calls done, {caller.in_flight} in flight, {rate:.1f}/s"
        line += f", ${caller.purse.spent:.4f}{left}" + self.recent.trouble(caller.failures, caller.last_failure)
        if pause := caller.pace.pause_left:
            line += f"; the provider asked for a pause, {pause:.0f} s more, and {caller.waiting:,} requests wait"
        return line


def rule_and_keys(folder: Path) -> tuple[str, list[str]]:
    """Ledgers lie in ledger/{rule}/{keys}; one elsewhere goes by its own name."""
    parts = folder.parts
    below = parts[len(parts) - parts[::-1].index("ledger") :] if "ledger" in parts else ()
    return (below[0], list(below[1:])) if below else (folder.name, [])

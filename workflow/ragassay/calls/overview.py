"""All calls of a run in one line, ten seconds after its start and then once a minute, and what they cost at its end.

Snakemake's process adds up what the jobs write down (`ragassay.calls.bulletin`). Numbers are those of this run: calls
whose answers were in the ledger count as done and cost nothing. An estimate made before (`make estimate`) says how many
calls and dollars are to come; it counts until a run has ended well.
"""

import contextlib
import json
import os
import secrets
import shutil
import sys
import threading
import time
from collections import Counter, deque
from pathlib import Path

from ragassay.base.text_table import aligned
from ragassay.calls.bulletin import COUNTS, FOLDER
from ragassay.calls.progress import FIRST_SECONDS, RECENT_SECONDS, SECONDS, clock

RUNS, ESTIMATE = Path(".snakemake/runs"), Path(".snakemake/estimate.json")
NAMED = 3  # jobs that a line names
_runs = []  # the one of this process, if it has begun


class Overview:
    """Of the run whose jobs write into `folder`."""

    def __init__(self, folder: Path, estimate: dict | None = None):
        self.folder, self.estimate = folder, estimate or {}
        self.marks = deque([(time.monotonic(), 0)])  # when how many calls were answered by models
        self.failures = Counter()  # those in earlier lines
        self.ended = threading.Event()

    def jobs(self) -> list[dict]:
        found = []
        for path in sorted(self.folder.glob("*.json")):
            with contextlib.suppress(FileNotFoundError, ValueError):
                found.append(json.loads(path.read_text()))
        return found

    def line(self, now: float) -> str:
        """Empty while no job asks."""
        jobs = self.jobs()
        going = [job for job in jobs if not job["ended"]]
        if not going:
            return ""
        sums = Counter()
        for job in jobs:
            sums.update({name: job[name] for name in ("done", "known", "in_flight", "retries", "dollars")})
        total = self._total(jobs, sums)
        rate = self._rate(now, sums["done"] - sums["known"])
        left = total - sums["done"]
        told = [f"all jobs: {sums['done']:,} of {total:,} calls done, {left:,} left, {sums['in_flight']} in flight"]
        told += [f"{sums['retries']:,} retried, {rate:.1f}/s", self._dollars(going, sums["dollars"])]
        if rate:
            told.append(f"{clock(left / rate)} left")
        return ", ".join(told) + "; " + ", ".join(_named(going)) + self._trouble(jobs, going)

    def _total(self, jobs, sums):
        """What begun jobs will ask, and all that was estimated if that is more."""
        begun = sum(job["done"] if job["ended"] else max(job["total"] or 0, job["done"]) for job in jobs)
        return max(begun, self.estimate.get("requests", 0) + sums["known"])

    def _rate(self, now, answered):
        since, before = self.marks[0]
        self.marks.append((now, answered))
        while len(self.marks) > 1 and self.marks[1][0] <= now - RECENT_SECONDS:
            self.marks.popleft()
        return (answered - before) / max(now - since, 1e-9)

    def _dollars(self, going, spent):
        told = f"${spent:.4f}"
        if self.estimate:
            told += f" of ${self.estimate['dollars']:.4f} estimated"
        caps = {job["model"]: job["cap"] for job in going if job["cap"] is not None}
        return told + "".join(f" (budget of {model}: ${cap:g})" for model, cap in sorted(caps.items()))

    def _trouble(self, jobs, going):
        """What failed since the last line, and until when providers want to be left alone."""
        failures = Counter()
        for job in jobs:
            failures.update(job["trouble"])
        recent, self.failures = failures - self.failures, failures
        told = ""
        if recent:
            kinds = ", ".join(f"{count:,} {kind}" for kind, count in recent.most_common())
            told = f"; failed since the last line: {kinds}; the last: {_last(jobs)}"
        pauses = {}  # model -> those of its jobs, as (seconds left, requests that wait)
        for job in going:
            if job["pause"]:
                pauses.setdefault(job["model"], []).append((job["pause"], job["waiting"]))
        for model, own in sorted(pauses.items()):
            longest, waiting = max(own)[0], sum(count for _, count in own)
            told += f"; {model} asked for a pause, {longest:.0f} s more, and {waiting:,} requests wait"
        return told

    def costs(self) -> str:
        """What each rule asked and paid; empty if nothing was asked."""
        sums = {}
        names = [*COUNTS, "dollars"]
        for job in self.jobs():
            if job["requests"]:
                own = sums.setdefault((job["rule"], job["model"]), Counter())
                own.update({name: job[name] for name in names})
        if not sums:
            return ""
        lines = [["rule", "model", *(name.replace("_", " ") for name in names)]]
        for (rule, model), counts in [*sorted(sums.items()), (("this run", ""), sum(sums.values(), Counter()))]:
            lines.append([rule, model, *(f"{counts[name]:,}" for name in COUNTS), f"{counts['dollars']:,.4f}"])
        return aligned(lines, left=2)

    def tell(self) -> None:
        """Line after line, until the run has ended."""
        wait = FIRST_SECONDS
        while not self.ended.wait(wait):
            if line := self.line(time.monotonic()):
                sys.stderr.write(line + "\n")
            wait = SECONDS


def begin() -> None:
    """A new folder, which jobs find in their environment, and a thread that tells how they are doing."""
    shutil.rmtree(RUNS, ignore_errors=True)
    folder = RUNS / secrets.token_hex(4)
    folder.mkdir(parents=True)
    os.environ[FOLDER] = str(folder.absolute())
    _runs.append(Overview(folder, _estimate()))
    threading.Thread(target=_runs[-1].tell, daemon=True).start()


def end(well: bool) -> None:
    """Tell the costs. What was estimated is over, or less by what was asked."""
    for run in _runs:
        run.ended.set()
        if costs := run.costs():
            sys.stderr.write(costs)
        asked = {name: sum(job[name] for job in run.jobs()) for name in ("requests", "dollars")}
        if run.estimate and asked["requests"]:
            left = {name: max(0, run.estimate[name] - asked[name]) for name in asked}
            ESTIMATE.write_text(json.dumps(left))
            if well or not left["requests"]:
                ESTIMATE.unlink()
    _runs.clear()


def _estimate():
    with contextlib.suppress(FileNotFoundError, ValueError):
        return json.loads(ESTIMATE.read_text())
    return None


def _named(going):
    """The jobs that have most left, by rule and shard."""
    going = sorted(going, key=lambda job: job["done"] - (job["total"] or 0))
    for job in going[:NAMED]:
        of = f" of {job['total']:,}" if job["total"] is not None else ""
        yield f"{' '.join([job['rule'], *job['keys']])} {job['done']:,}{of}"
    if len(going) > NAMED:
        yield f"and {len(going) - NAMED} more jobs"


def _last(jobs):
    return next((job["last_failure"] for job in reversed(jobs) if job["last_failure"]), "")

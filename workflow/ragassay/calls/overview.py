"""All calls of a run in one line, ten seconds after its start and then once a minute, and what they cost at its end.
Snakemake's process adds up the reports of the jobs (`_progress`). An estimate made before says how many calls and
dollars are to come; it counts until a run has ended well."""

import contextlib
import json
import os
import secrets
import shutil
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from ragassay.base.terminal import aligned, clock, wiped
from ragassay.calls._progress import COUNTS, FIRST_SECONDS, FOLDER, SECONDS, Recent

RUNS, ESTIMATE = Path(".snakemake/runs"), Path(".snakemake/estimate.json")
NAMED = 3  # jobs that a line names
_runs = []  # the one of this process, if it has begun


class Overview:
    """Of the run whose jobs write into `folder`."""

    def __init__(self, folder: Path, estimate: dict | None = None):
        self.folder, self.estimate = folder, estimate or {}
        self.recent = Recent()
        self.ended = threading.Event()

    def jobs(self) -> list[dict]:
        return [*filter(None, map(_read, sorted(self.folder.glob("*.json"))))]

    def line(self, now: float) -> str:
        """Empty while no job asks."""
        jobs = self.jobs()
        going = [job for job in jobs if not job["ended"]]
        if not going:
            return ""
        sums = Counter()
        for job in jobs:
            sums.update({name: job[name] for name in ("done", "known", "in_flight", "retries", "dollars")})
        begun = sum(job["done"] if job["ended"] else max(job["total"] or 0, job["done"]) for job in jobs)
        total = max(begun, self.estimate.get("requests", 0) + sums["known"])
        rate = self.recent.rate(now, sums["done"] - sums["known"])
        left = total - sums["done"]
        parts = [f"all jobs: {sums['done']:,} of {total:,} calls done, {left:,} left, {sums['in_flight']} in flight"]
        parts += [f"{sums['retries']:,} retried, {rate:.1f}/s", self._dollars(going, sums["dollars"])]
        if rate:
            parts.append(f"{clock(left / rate)} left")
        return ", ".join(parts) + "; " + ", ".join(_named(going)) + self._trouble(jobs, going)

    def _dollars(self, going, spent):
        dollars = f"${spent:.4f}"
        if self.estimate:
            dollars += f" of ${self.estimate['dollars']:.4f} estimated"
        caps = {job["model"]: job["cap"] for job in going if job["cap"] is not None}
        return dollars + "".join(f" (budget of {model}: ${cap:g})" for model, cap in sorted(caps.items()))

    def _trouble(self, jobs, going):
        """What failed since the last line, and until when providers want to be left alone."""
        failures = sum((Counter(job["trouble"]) for job in jobs), Counter())
        last = next((job["last_failure"] for job in reversed(jobs) if job["last_failure"]), "")
        trouble = self.recent.trouble(failures, last)
        for model in sorted({job["model"] for job in going if job["pause"]}):
            paused = [job for job in going if job["model"] == model and job["pause"]]
            longest = max(job["pause"] for job in paused)
            waiting = sum(job["waiting"] for job in paused)
            trouble += f"; {model} asked for a pause, {longest:.0f} s more, and {waiting:,} requests wait"
        return trouble

    def costs(self) -> str:
        """What each rule asked and paid; empty if nothing was paid."""
        jobs = [job for job in self.jobs() if job["requests"]]
        if not any(job["dollars"] for job in jobs):
            return ""
        return summed(jobs, [*COUNTS], ["dollars"], "this run")

    def tell(self) -> None:
        """Line after line, until the run has ended."""
        wait = FIRST_SECONDS
        while not self.ended.wait(wait):
            if line := self.line(time.monotonic()):
                sys.stderr.write(f"{wiped()}{line}\n")
            wait = SECONDS


def summed(rows: list[dict], counts: list[str], dollars: list[str], total: str) -> str:
    """A table with the sums of these columns for each rule and model, and those of all."""
    sums, names = {}, [*counts, *dollars]
    for row in rows:
        sums.setdefault((row["rule"], row["model"]), Counter()).update({name: row.get(name, 0) for name in names})
    lines = [["rule", "model", *(name.replace("_", " ") for name in names)]]
    for (rule, model), columns in [*sorted(sums.items()), ((total, ""), sum(sums.values(), Counter()))]:
        paid = (f"{columns[name]:,.4f}" for name in dollars)
        lines.append([rule, model, *(f"{columns[name]:,}" for name in counts), *paid])
    return aligned(lines, left=2)


def begin() -> None:
    """A new folder, which jobs find in their environment, and a thread that tells how they are doing."""
    shutil.rmtree(RUNS, ignore_errors=True)
    folder = RUNS / secrets.token_hex(4)
    folder.mkdir(parents=True)
    os.environ[FOLDER] = str(folder.absolute())
    _runs.append(Overview(folder, _read(ESTIMATE)))
    threading.Thread(target=_runs[-1].tell, daemon=True).start()


def end(well: bool) -> dict:
    """Tell the costs; give requests and dollars. What was estimated is over, or less by what was asked."""
    asked = {}
    for run in _runs:
        run.ended.set()
        if costs := run.costs():
            sys.stderr.write(wiped() + costs)
        asked = {name: sum(job[name] for job in run.jobs()) for name in ("requests", "dollars")}
        if run.estimate and asked["requests"]:
            left = {name: max(0, run.estimate[name] - asked[name]) for name in asked}
            ESTIMATE.write_text(json.dumps(left))
            if well or not left["requests"]:
                ESTIMATE.unlink()
    _runs.clear()
    return asked


def _read(path):
    """What a file holds; None if it is gone by now, or only half there."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        return json.loads(path.read_text())
    return None


def _named(going):
    """The jobs that have most left, by rule and shard."""
    going = sorted(going, key=lambda job: job["done"] - (job["total"] or 0))
    for job in going[:NAMED]:
        total = f" of {job['total']:,}" if job["total"] is not None else ""
        yield f"{' '.join([job['rule'], *job['keys']])} {job['done']:,}{total}"
    if len(going) > NAMED:
        yield f"and {len(going) - NAMED} more jobs"

"""Show how calls are going. A job logs a line after ten seconds, then one a minute, and reports to the run in a small
file in the run's folder; Snakemake's process adds up these files (`Overview`): all calls of a run in one line, and what
they cost at its end. Rate and time left go by what models answered in the last minute: answers out of the ledger, which
come in a burst, promise nothing. An estimate made before says how many calls and dollars are to come; it counts until a
run has ended well."""

import asyncio
import contextlib
import json
import os
import shutil
import sys
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from pathlib import Path
from uuid import uuid4

from ragassay.base.stage import log
from ragassay.base.terminal import aligned, clock, wiped
from ragassay.calls.ledger.records import PICO

FOLDER = "RAGASSAY_RUN"  # the environment variable that names the run's folder
FIRST_SECONDS, SECONDS = 10.0, 60.0  # until the first line, and between lines
RECENT_SECONDS = 60.0
REPORT_SECONDS = 2.0
COUNTS = {"requests": "requests", "retries": "retries", "failures": "failures", "samples": "samples"}
COUNTS |= {"prompt_tokens": "prompt", "completion_tokens": "completion"}
RUNS, ESTIMATE = Path(".snakemake/runs"), Path(".snakemake/estimate.json")
NAMED = 3  # jobs that a line names
_runs = []  # the one of this process, if it has begun


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


class Progress:
    """Of the calls of a job: `total` is their number, if it is known; each that has its answers adds one to `done`. A
    job of a run reports to it, and the run shows its own lines on the terminal in place of the job's.
    """

    def __init__(self, caller, total: int | None = None):
        self.caller, self.total, self.done = caller, total, 0
        self.recent = Recent()
        folder = os.environ.get(FOLDER) if caller.model.mode != "replay" else None
        self.report = Path(folder, f"{uuid4().hex}.json") if folder else None  # a job may ask in several rounds

    async def tell(self) -> None:
        """Line after line, until cancelled."""
        due, last = time.monotonic() + FIRST_SECONDS, 0
        while True:
            self.post()
            await asyncio.sleep(max(0.0, min(REPORT_SECONDS, due - time.monotonic())))
            if time.monotonic() < due:
                continue
            if self.done > last or not self.caller.batched:  # what batches wait for is reported separately
                log.info("%s", self.line(time.monotonic()), extra={"in_the_runs_line": True})
            due, last = time.monotonic() + SECONDS, self.done

    def post(self, ended: bool = False) -> None:
        """Report to the run."""
        if not self.report:
            return
        caller, counts, before = self.caller, self.caller.ledger.counts, self.caller.before
        rule, keys = rule_and_keys(caller.ledger.folder)
        report = {"rule": rule, "keys": keys, "model": caller.model.name, "ended": ended}
        report |= {"done": self.done, "total": self.total, "known": caller.known}
        report |= {"in_flight": caller.in_flight, "waiting": caller.waiting}
        report |= {"pause": caller.pace.pause_left, "cap": caller.model.budget_usd}
        report |= {"trouble": dict(caller.failures), "last_failure": caller.last_failure}
        report |= {name: counts[counted] - before[counted] for name, counted in COUNTS.items()}
        report["dollars"] = (counts["pico"] - before["pico"]) / PICO
        self.report.parent.mkdir(parents=True, exist_ok=True)
        beside = self.report.with_suffix(".new")
        beside.write_text(json.dumps(report))
        beside.replace(self.report)

    def line(self, now: float) -> str:
        caller, total, left = self.caller, "", ""
        rate = self.recent.rate(now, self.done - caller.known)
        if self.total is not None:
            total = f" of {self.total:,}"
            left = f", {clock((self.total - self.done) / rate)} left" if rate else ""
        line = f"{caller.model.name}: {self.done:,}{total} calls done, {caller.in_flight} in flight, {rate:.1f}/s"
        line += f", ${caller.purse.spent:.4f}{left}" + self.recent.trouble(caller.failures, caller.last_failure)
        if pause := caller.pace.pause_left:
            line += f"; the provider asked for a pause, {pause:.0f} s more, and {caller.waiting:,} requests wait"
        return line


def rule_and_keys(folder: Path) -> tuple[str, list[str]]:
    """Ledgers lie in ledger/{rule}/{keys}; one elsewhere goes by its own name."""
    parts = folder.parts
    below = parts[len(parts) - parts[::-1].index("ledger") :] if "ledger" in parts else ()
    return (below[0], list(below[1:])) if below else (folder.name, [])


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


def sums_of(rows: Iterable[dict], names: Iterable[str]) -> dict[tuple[str, str], Counter]:
    """(rule, model) -> the sums of these columns."""
    sums = defaultdict(Counter)
    for row in rows:
        sums[row["rule"], row["model"]].update({name: row.get(name, 0) for name in names})
    return sums


def summed(rows: list[dict], counts: list[str], dollars: list[str], total: str) -> str:
    """A table with the sums of these columns for each rule and model, and those of all."""
    names = [*counts, *dollars]
    sums = sums_of(rows, names)
    lines = [["rule", "model", *(name.replace("_", " ") for name in names)]]
    for (rule, model), columns in [*sorted(sums.items()), ((total, ""), sum(sums.values(), Counter()))]:
        paid = (f"{columns[name]:,.4f}" for name in dollars)
        lines.append([rule, model, *(f"{columns[name]:,}" for name in counts), *paid])
    return aligned(lines, left=2)


def begin() -> None:
    """A new folder, which jobs find in their environment, and a thread that tells how they are doing."""
    shutil.rmtree(RUNS, ignore_errors=True)
    folder = RUNS / uuid4().hex
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

"""The jobs of a run: what each says of itself, why it failed, and how long those take that are left."""

import contextlib
import os
import re
import signal
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ragassay.base.terminal import job_name, printable

TAIL = 8_192  # bytes of a log in which its last words stand
ASKED_TO_END = 75  # the exit status of `ragassay.calls`, which had to wait for what was in flight
SURE = 10  # seconds after which how many jobs run at a time is more than a guess
MEMORY = ", as on a machine that has no memory left"
MORE = "; it may get more: --set-resources {rule}:{resource}=..."
LACKS = {"TIMEOUT": "runtime", "OUT_OF_MEMORY": "mem_mb"}  # how Slurm ends a job -> what it had too little of
LOGS, NAMED = 2, 4  # of a failure: its rule's log and the cluster's; jobs that failed for the same reason
TRACEBACK = "Traceback (most recent call last)"


@dataclass
class RunningJob:
    """A job that has begun; `makes` says whether it makes something, since a target rule only collects."""

    rule: str
    wildcards: dict[str, str]
    logs: list[str]
    makes: bool
    since: float

    @classmethod
    def of(cls, record) -> "RunningJob":
        """As Snakemake's record of its beginning describes it; one of its failure lacks wildcards."""
        wildcards = dict(getattr(record, "wildcards", None) or {})
        return cls(record.rule_name, wildcards, list(record.log), bool(record.output), record.created)

    def __str__(self):
        return " ".join([self.rule, *filter(None, map(str, self.wildcards.values()))])

    def last_words(self) -> str:
        """The last line of its log; empty if there is none."""
        lines = self._log()
        return lines[-1] if lines else ""

    def failure(self, reason: str) -> tuple[str, str] | None:
        """Why it failed, in its own sentence, and what names it, its last words and where its log lies; None if it was
        asked to end. `reason` is what Snakemake says of it.
        """
        ended_by, words = _signal(reason), self.last_words()
        if ended_by == "SIGINT" or f"non-zero exit status {ASKED_TO_END}" in reason:
            return None
        cause = self._ended(reason, ended_by)
        why = f"{cause}; its last words: {words}" if cause and words else cause
        if not cause:
            cause = why = self._why(reason, words)
        logs = [log for log in self.logs if Path(log).exists() and not _refusal(reason)]
        lines = [f"  {job_name(self.rule, self.wildcards)}: {why}", *(f"    log: {log}" for log in logs[:LOGS])]
        return cause, "".join(f"{line}\n" for line in lines)

    def _ended(self, reason, ended_by):
        """What ended it from outside; empty if it failed by itself."""
        if ended_by:
            return f"{ended_by} ended it" + MEMORY * (ended_by == "SIGKILL")
        state = re.search(r"SLURM status is: '(\w+)", reason)
        if not state or state[1] == "FAILED":
            return ""
        more = MORE.format(rule=self.rule, resource=LACKS[state[1]]) if state[1] in LACKS else ""
        return f"Slurm ended it, {state[1]}{more}"

    def _why(self, reason, words):
        if refusal := _refusal(reason):
            return printable(f"Slurm refuses it: {' '.join(refusal.split())}")
        if reason and "CalledProcessError" not in reason and "'FAILED'" not in reason:  # of Snakemake, or of a cluster
            return printable(" ".join(reason.split()))
        if not words:
            return "it ended before its log began; what it wrote stands above"
        return words + (" (a fault of the code, not of yours)" if self._has_traceback() else "")

    def _has_traceback(self):
        return any(line.startswith(TRACEBACK) for line in self._log())

    def _log(self):
        with contextlib.suppress(OSError, IndexError), Path(self.logs[0]).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL))
            lines = file.read().decode(errors="replace").splitlines()
            return [printable(line.strip()) for line in lines if line.strip()]
        return []


class Failures:
    """Why jobs failed, by number. Those of one cause are one entry."""

    def __init__(self):
        self.of = {}  # number -> cause, job, lines

    def __len__(self):
        return len(self.of)

    def add(self, number: int, job: RunningJob, cause: str, lines: str) -> bool:
        """Whether its cause is a new one."""
        is_new = cause not in {cause for cause, *_ in self.of.values()}
        self.of[number] = cause, job, lines
        return is_new

    def forget(self, number: int) -> None:
        """It is tried again."""
        self.of.pop(number, None)

    def lines(self) -> list[str]:
        """The first job of each cause with its logs, the others by name."""
        entries = []
        for cause in dict.fromkeys(cause for cause, *_ in self.of.values()):
            (_, lines), *others = [(str(job), lines) for other, job, lines in self.of.values() if other == cause]
            more = f" and {len(others) - NAMED:,} more" if len(others) > NAMED else ""
            names = ", ".join(name for name, _ in others[:NAMED])
            entries.append(lines + (f"    so did {names}{more}\n" if others else ""))
        return entries


class TimeLeft:
    """How long the rest of a run takes, by what jobs of each rule took in this run, else in earlier ones."""

    def __init__(self, planned: dict[str, int], before: dict[str, float], now: float):
        self.left, self.before, self.since = Counter(planned), before, now
        self.jobs, self.took = Counter(), Counter()  # of those that have ended, by rule

    def ended(self, rule: str, seconds: float) -> None:
        self.left[rule] -= 1
        self.jobs[rule] += 1
        self.took[rule] += seconds

    def means(self) -> dict[str, float]:
        """rule -> seconds of a job."""
        return self.before | {rule: self.took[rule] / jobs for rule, jobs in self.jobs.items()}

    def seconds(self, now: float, running: list[RunningJob]) -> float | None:
        """None while nothing is known of any job."""
        means = self.means()
        if not means or now <= self.since:
            return None
        usual = sum(means.values()) / len(means)  # of a rule of which nothing is known
        work = sum(max(0, left) * means.get(rule, usual) for rule, left in self.left.items())
        work -= sum(min(now - job.since, means.get(job.rule, usual)) for job in running)
        busy = sum(self.took.values()) + sum(now - job.since for job in running)
        side_by_side = (busy + SURE) / (now - self.since + SURE)  # jobs at a time, on average; one before any has run
        return max(0.0, work) / side_by_side


def _refusal(reason):
    """What Slurm said when it took no job; empty if it did."""
    refusal = re.search(r"SLURM sbatch failed. The error message was '(.*?)'\.$", reason, re.DOTALL | re.MULTILINE)
    return refusal[1] if refusal else ""


def _signal(reason):
    """The name of the signal that ended a job; empty if none did. Shells add 128 to its number."""
    if match := re.search(r"died with <Signals\.(\w+)", reason):
        return match[1]
    status = re.search(r"non-zero exit status (\d+)", reason)
    with contextlib.suppress(ValueError):
        return signal.Signals(int(status[1]) - 128).name if status else ""
    return ""

"""What all jobs that ask one model share: `money.json` has the dollars that each has spent or may still spend,
`grants.json` the slots and points in time of `limits`; both change under a lock (flock) only. A killed job keeps the
money that it was granted until its ledger says what was spent, so that all jobs together stay below the cap; its
slots come free at once, or after a minute elsewhere."""

import contextlib
import fcntl
import json
import os
import secrets
from pathlib import Path

from ragassay.base.atomic import HOST, alive, write_text
from ragassay.base.card import is_number
from ragassay.base.errors import MISSHAPEN, AssayError
from ragassay.calls.ledger import sharing

MOST_DOLLARS = 1e9  # more is no amount
STEP = 0.01  # of the cap, granted beyond what is needed; less where answers cost more than their limit allows
STALE = 60.0  # seconds of silence after which a job counts as dead


class Register:
    """The register in `folder`, as the job sees it whose ledger is in `ledger`."""

    def __init__(self, folder, ledger):
        self.money, self.grants, self.ledger = Path(folder, "money.json"), Path(folder, "grants.json"), str(ledger)
        self.name = f"{HOST} {os.getpid()} {secrets.token_hex(4)}"  # of this job among the live ones
        self.joined = False

    @contextlib.contextmanager
    def shared(self):
        """The grants of all live jobs, to be changed in place, and the time by the clock of the file system, since
        machines need not agree about it. The file that is locked is the one that is written, in one go: network file
        systems show the next one who locks it what it holds. It is not forced to the disk: grants end with processes.
        """
        file = self._open(self.grants)
        try:
            _lock(file, self.grants, "limits")
            os.utime(file)
            status = os.fstat(file)
            kept, now = self._decoded(os.pread(file, status.st_size, 0)), status.st_mtime
            jobs = kept.get("jobs", {})
            if self.name in jobs and now - jobs[self.name][0] > STALE:  # the machine slept, or somebody set its clock
                jobs = {name: [now, *job[1:]] for name, job in jobs.items()}
            kept["jobs"] = {name: job for name, job in jobs.items() if self._is_live(name, now - job[0])}
            yield kept, now
            self.joined = self.name in kept["jobs"]
            os.pwrite(file, json.dumps(kept).encode() + b"\n", 0)  # what is left of a longer line counts for nothing
        finally:
            os.close(file)

    def kept(self) -> dict:
        """What `shared` left behind, to look at: nothing is locked or changed."""
        return self._decoded(self.grants.read_bytes()) if self.grants.exists() else {}

    @contextlib.contextmanager
    def turn(self):
        """A function that says whether it is this job's turn to go alone; so it stays until the end."""
        with os.fdopen(self._open(self.grants.with_name("first.lock")), "r+") as file:

            def is_ours():
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return True
                return False

            yield is_ours

    def stamp(self) -> None:
        """Show that this job is alive, while it is too busy to ask for anything."""
        if self.joined:
            with self.shared() as (kept, now):
                if self.name in kept["jobs"]:
                    kept["jobs"][self.name][0] = now

    def _is_live(self, name, silence):
        host, process, _ = name.split()
        return name == self.name or (silence <= STALE and (host != HOST or alive(int(process))))

    def _decoded(self, line):
        try:
            kept = json.loads(line.partition(b"\n")[0] or b"{}")
            for name, (stamp, *_) in kept.get("jobs", {}).items():
                _, process, _ = name.split()
                if not is_number(stamp) or not process.isdecimal():
                    raise ValueError(f"found the job {name!r} at {stamp!r}")
            return kept
        except MISSHAPEN as error:
            expected = "found something else than JSON with what each job was granted"
            remedy = "delete it while no job asks this model"
            raise AssayError(f"{self.grants}: {expected}; {remedy}") from error

    def entry(self) -> list[float] | None:
        """What this job has spent or may spend, if the register knows it."""
        with self._locked() as money:
            return money.get(self.ledger)

    def spent(self, dollars: float, unsure: float = 0.0) -> None:
        """Set what this job spent, and what it may have spent beside that, as its final amounts."""
        with self._locked() as money:
            if dollars or unsure or self.ledger in money:
                self._write(money | {self.ledger: [dollars, unsure]})

    def grant(self, spent: float, unsure: float, cap: float, excess: float = 1.0) -> tuple[float, float]:
        """What this job may spend in all, less than it needs if the cap does not allow that, and what the other jobs
        have spent or may spend.
        """
        needed = spent + unsure * excess
        with self._locked() as money:
            dollars = {job: settled + at_risk * excess for job, (settled, at_risk) in money.items()}
            before = dollars.pop(self.ledger, 0.0)
            others = sum(dollars.values())
            granted = min(needed + STEP * cap / excess, cap - others)
            if granted < needed:
                return min(before, granted), others
            self._write(money | {self.ledger: [spent, (granted - spent) / excess]})
        return granted, others

    @contextlib.contextmanager
    def _locked(self):
        """What each job has spent or may spend, locked against changes by others."""
        path = self.money.with_suffix(".lock")
        with os.fdopen(self._open(path), "r+") as lock:
            _lock(lock, path, "a budget")
            yield self._read()

    def _read(self):
        try:
            money = json.loads(self.money.read_text())
            if not all(is_number(part) and 0 <= part <= MOST_DOLLARS for amounts in money.values() for part in amounts):
                raise ValueError("found dollars that are none")
            return {job: [float(spent), float(unsure)] for job, (spent, unsure) in money.items()}
        except FileNotFoundError:
            return {}
        except MISSHAPEN as error:
            expected = "found something else than JSON with the dollars of each job, [spent, at risk]"
            remedy = "delete it, and each job is counted again when it runs again"
            raise AssayError(f"{self.money}: {expected}; {remedy}") from error

    def _write(self, money):
        with sharing.explained(self.money):
            write_text(self.money, json.dumps(money, indent=0, sort_keys=True))
            sharing.adopt(self.money)

    def _open(self, path):
        with sharing.explained(path):
            sharing.make_folder(path.parent)
            return sharing.open_file(path, os.O_RDWR)


def _lock(file, name, what):
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError as error:
        problem = f"cannot be locked, so jobs could not share {what}: put the project on a file system with locks"
        raise AssayError(f"{name} {problem} ({error.strerror})") from error

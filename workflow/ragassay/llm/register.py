"""What all jobs share that ask one model: which of them are live, so that its limits are divided over them, and its
budget.

Below one folder, `jobs/` holds a file for each live job that names its ledger, and `money` the dollars that each job
has spent or may still spend. The money is changed under a lock only. A job is granted a little more than it needs, so
that it need not come for each request, and tells at its end what it did spend. A killed job keeps what it was granted
until it runs again and finds in its ledger what was spent: whatever is killed, all jobs together stay below the cap.
Locks are flock's, which shared file systems have to support (NFS does by itself, Lustre with the mount option `flock`).
"""

import contextlib
import fcntl
import hashlib
import json
from pathlib import Path

from ragassay.atomic import write_text
from ragassay.errors import AssayError

STEP = 0.01  # of the cap, granted beyond what is needed


class Register:
    """The register in `folder`, as the job sees it whose ledger is in `ledger`."""

    def __init__(self, folder, ledger):
        self.jobs, self.money, self.ledger = Path(folder, "jobs"), Path(folder, "money.json"), str(ledger)
        self.own = self.jobs / hashlib.sha256(self.ledger.encode()).hexdigest()[:16]

    def join(self) -> None:
        write_text(self.own, self.ledger)

    def leave(self) -> None:
        self.own.unlink(missing_ok=True)

    def ledgers(self) -> list[Path]:
        """The ledgers of all jobs that joined and did not leave: some may have been killed."""
        found = []
        for job in self.jobs.glob("[!.]*"):
            with contextlib.suppress(FileNotFoundError):
                found.append(Path(job.read_text()))
        return found

    def spent(self, dollars: float) -> None:
        """All that this job spent, and no more."""
        with self._locked() as money:
            if dollars or self.ledger in money:
                self._write(money | {self.ledger: dollars})

    def grant(self, needed: float, cap: float) -> tuple[float, float]:
        """What this job may spend in all, which is less than `needed` if the cap does not allow that; and what the
        others have spent or may spend.
        """
        with self._locked() as money:
            others = sum(dollars for job, dollars in money.items() if job != self.ledger)
            granted = min(needed + STEP * cap, cap - others)
            if granted < needed:
                return money.get(self.ledger, 0.0), others
            self._write(money | {self.ledger: granted})
        return granted, others

    @contextlib.contextmanager
    def _locked(self):
        """What each job has spent or may spend, which nobody else changes meanwhile."""
        self.money.parent.mkdir(parents=True, exist_ok=True)
        with self.money.with_suffix(".lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
            except OSError as error:
                told = "cannot be locked, so jobs could not share a budget: put the project on a file system with locks"
                raise AssayError(f"{lock.name} {told} ({error.strerror})") from error
            yield self._read()

    def _read(self):
        try:
            return json.loads(self.money.read_text())
        except FileNotFoundError:
            return {}
        except ValueError as error:
            expected = "found no JSON, expected the dollars of each job"
            remedy = "delete it, and each job is counted again when it runs again"
            raise AssayError(f"{self.money}: {expected}; {remedy}") from error

    def _write(self, money):
        write_text(self.money, json.dumps(money, indent=0, sort_keys=True))

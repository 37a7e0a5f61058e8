"""Take over the lock of a run that was killed, and only of one that is certainly gone.

Snakemake's lock is a file that does not say whose it is, and who kills a run has to unlock by hand. So each Snakemake
that reads this workflow shares a lock of the system's on another file, which ends with its process, however that ends.
If one can have that lock alone, no other runs here; a lock of Snakemake's is then left over, if the run that took it
was on this machine. Where the file system has no such locks, nothing is taken over.
"""

import contextlib
import fcntl
import shutil
import sys
from pathlib import Path

from ragassay.base.atomic import HOST

LOCKS, SHARED, OWNER = Path(".snakemake/locks"), Path(".snakemake/run.lock"), Path(".snakemake/run.host")
_held = []  # as long as this process lives


def take_over(workflow) -> None:
    """While the Snakefile is read, before Snakemake looks for its lock."""
    if not workflow.is_main_process:
        return
    SHARED.parent.mkdir(exist_ok=True)
    file = SHARED.open("a+")
    with contextlib.suppress(OSError):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove_leftover()
        except BlockingIOError:
            pass  # another run, or somebody who plans one
        fcntl.flock(file, fcntl.LOCK_SH)
        _held.append(file)


def own() -> None:
    """When a run begins: it has Snakemake's lock."""
    OWNER.write_text(HOST)


def _remove_leftover():
    if any(LOCKS.glob("*.lock")) and OWNER.exists() and OWNER.read_text() == HOST:
        sys.stderr.write("The last run in this folder was killed; it is gone, and its lock is taken over.\n")
        shutil.rmtree(LOCKS)

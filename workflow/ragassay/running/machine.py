"""What a run takes of its folder and of the machine. Jobs that wait for a server hold no core, and those that compute
do not keep them waiting.

A job of no threads only waits for a model elsewhere (`models.threads_of`); by the profile it counts as `asking`, any
other one as `computing`. So many may compute as there are cores. Snakemake starts nothing while all cores are taken,
not even what needs none, and so it is given one more than may be used. On a cluster the scheduler decides about that.

The lock of a run that was killed is taken over, and only of one that is certainly gone. Snakemake's lock is a file that
does not say whose it is, and users would have to unlock by hand. So each Snakemake that reads this workflow shares a
lock of the system's on another file, which ends with its process, however that ends. If one can have that lock alone,
no other runs here; a lock of Snakemake's is then left over, if the run that took it was on this machine. Where the file
system has no such locks, nothing is taken over.
"""

import contextlib
import fcntl
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from ragassay.base import pipeline
from ragassay.base.atomic import HOST
from ragassay.base.errors import AssayError

# Jobs at once, each with many requests in flight: as many workers as Snakemake has beside those of its cores.
ASKING = 5
LOCKS, SHARED, OWNER = Path(".snakemake/locks"), Path(".snakemake/run.lock"), Path(".snakemake/run.host")
_held = []  # the shared lock, as long as this process lives


class BusyError(AssayError):
    """A run is in progress."""


def prepare(workflow) -> None:
    """While the Snakefile is read. Jobs inherit the import path: scripts run as copies elsewhere and import the library
    by its full name.
    """
    conda = any(method.name == "CONDA" for method in workflow.deployment_settings.deployment_method)
    os.environ.update(PYTHONPATH=os.pathsep.join(pipeline.import_path(conda)))
    if workflow.is_main_process:
        pipeline.prepare(conda)
    # Threads that wait for others sleep: jobs side by side would spend most of their time on watching each other.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    cores = _cores(workflow)
    if workflow.is_main_process and cores:
        limit(workflow, cores)
    take_over(workflow)


def limit(workflow, cores: int) -> None:
    """How many jobs may compute, and how many ask, unless the command line says so."""
    for name, most in {"computing": cores, "asking": ASKING}.items():
        if name not in workflow.global_resources:
            workflow.register_resource(name, most)


def use(workflow, cores: int) -> None:
    """So many cores."""
    limit(workflow, cores)
    workflow.register_resource("_cores", cores + 1)


def begin(workflow) -> None:
    """When the first job is about to start."""
    OWNER.write_text(HOST)
    limiter = workflow.scheduler.job_rate_limiter
    if limiter and (limiter.max_jobs, limiter.timespan) == (100, 1):  # as nobody has asked for it
        # Else each end of a job makes Snakemake select jobs again every second, for ever.
        workflow.scheduler.job_rate_limiter = None
    if cores := _cores(workflow):
        workflow.register_resource("_cores", cores + 1)


def _cores(workflow):
    """None where jobs go to other machines."""
    resources = workflow.global_resources
    return None if resources["_nodes"].value else resources["_cores"].value


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


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """No run works in this folder, and one that starts waits until the block ends; raises BusyError if one does."""
    SHARED.parent.mkdir(exist_ok=True)
    with SHARED.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError("found a run in this folder, expected none; wait for its end, or stop it") from None
        except OSError:  # no such locks here
            pass
        if any(LOCKS.glob("*.lock")):
            host = OWNER.read_text() if OWNER.exists() else "another machine"
            raise BusyError(
                f"found {LOCKS}, which a run on {host} took, expected none; wait for its end, or if it was killed:"
                f" {pipeline.run_command('--unlock')}"
            )
        yield


def _remove_leftover():
    if any(LOCKS.glob("*.lock")) and OWNER.exists() and OWNER.read_text() == HOST:
        sys.stderr.write("The last run in this folder was killed; it is gone, and its lock is taken over.\n")
        shutil.rmtree(LOCKS)

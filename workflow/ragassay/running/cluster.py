"""Runs whose jobs go to Slurm. What the cluster says about itself decides how its jobs are watched; jobs that a killed
run left behind end before the next run is planned; a run that is asked to end takes its jobs with it. A job
refuses to work in a folder that is not the run's own.
"""

import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from ragassay.base.atomic import HOST, write_text
from ragassay.base.errors import AssayError
from ragassay.running import finished_jobs, machine, scheduler_commands
from ragassay.running.finished_jobs import LATENCY

RUN = Path(".snakemake/slurm.run")  # what the executor calls the last run
LEAST_AGE = 300  # seconds that a finished job has to be remembered, where nothing else remembers it; Slurm's default
DRAINING = 120  # seconds until a job that was asked to end is killed
COMMANDS = Path(".snakemake/slurm")
RUN_NAME = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")  # how names of runs and their jobs end
OUT_OF_USE = ("down", "drain", "fail", "inval")  # how the states of nodes begin that start no job


class ClusterError(AssayError):
    """This cluster cannot be used as it is."""


class Nodes(NamedTuple):
    """Those of one size in a partition."""

    limit: str  # of time, for a job
    memory: int  # megabytes of each
    in_use: int
    out_of_use: int  # drained and down ones


def begin(workflow) -> None:
    """When the first job is about to start, and no other run is under way here."""
    if workflow.is_main_process and workflow.remote_execution_settings.immediate_submit:
        raise ClusterError("found --immediate-submit, expected none: a run has to wait for its jobs; leave it out")
    if not _on_slurm(workflow):
        return
    if not shutil.which("sbatch"):
        raise ClusterError("found no sbatch, expected Slurm's commands; start this on a login node of the cluster")
    _check_resources(workflow.resource_settings.default_resources or {})
    executor = workflow.scheduler._executor
    # Slurm itself knows a user's account; the executor would guess one, and ask `sacct` in words that it does not know.
    executor._fallback_account_arg = ""
    _start_once(executor)
    if (command := asked_for_states(configuration())) == "squeue":
        workflow.executor_settings.status_command = command
    _check_limits(workflow.dag, executor)
    finished_jobs.keep_finished()
    if _end_leftovers():
        _plan_again(workflow)
    write_text(RUN, executor.run_uuid)
    scheduler_commands.put_first(COMMANDS)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # else it would wait for all jobs, which may take days


def _start_once(executor):
    """A submission is one Snakemake, which runs the rules of its group by itself, where the executor has it start a
    Snakemake for each of them. Its shell outlives SIGTERM: when it ends, Slurm kills what is still in flight.
    """
    if executor.array_jobs:
        raise ClusterError("found slurm-array-jobs, expected none: groups of rules take its place; leave it out")
    executor.additional_general_args = str
    executor.get_job_exec_prefix = lambda job: "trap : TERM"


def enter(workflow) -> None:
    """In a job, before it does anything: it may use what Slurm gives it, if this is the folder of the run."""
    name = os.environ.get("SLURM_JOB_NAME", "")
    run = RUN_NAME.search(name)
    if workflow.is_main_process or not run:
        return
    _check_shared(name, run)
    machine.use(workflow, int(os.environ.get("SLURM_CPUS_PER_TASK", 1)))
    if memory := int(os.environ.get("SLURM_MEM_PER_NODE", 0)):
        workflow.register_resource("mem_mb", memory)


def _check_shared(name, run):
    """What a job pays for in another folder, its run never gets."""
    for _ in range(LATENCY):
        here = RUN.read_text() if RUN.exists() else "none"
        if name.endswith(f"-{here}"):
            return
        time.sleep(1)
    raise ClusterError(
        f"{HOST}: found run {here} in {Path.cwd()}, expected {run[0]}, which submitted this job: this is"
        " not the folder that the head sees; put the project on a file system that all nodes share"
    )


def end(workflow) -> None:
    """When a run has failed: why, where no log can say it. Slurm begins no job whose log it cannot write, and
    another folder's log nobody finds.
    """
    if not _on_slurm(workflow):
        return
    folder = workflow.scheduler._executor.slurm_logdir
    for _ in range(LATENCY):
        logs = {path.stem for path in folder.rglob("*.log")}
        lost = [job for job in scheduler_commands.failed(COMMANDS) if job not in logs]
        if not lost:
            return
        time.sleep(1)
    raise ClusterError(
        f"found no log of job {', '.join(lost)} in {folder}: its node does not see this folder;"
        " put the project on a file system that all nodes share, under the same path"
    )


def _on_slurm(workflow):
    return workflow.is_main_process and getattr(workflow.executor_plugin, "name", None) == "slurm"


def _check_resources(default):
    """Slurm refuses jobs without a processor, which those that only ask models have unless their resources say so."""
    if "cpus_per_task" not in default:
        raise ClusterError(
            "found no cpus_per_task among the default resources, expected those of profiles/default/profile.yaml;"
            " --default-resources on the command line takes their place: name all of them there, or yours in that file"
        )


def _check_limits(dag, executor):
    """Slurm takes a job that asks for more time than its partition gives, and never starts it; one that asks for more
    memory than any node has it refuses, after others have run.
    """
    given = partitions()
    for job in (job for job in dag.needrun_jobs() if not job.is_local):
        asked = (dag._group[job] if job.group else job).resources
        minutes, megabytes = (asked.get(name) for name in ("runtime", "mem_mb"))
        minutes, megabytes = (each if isinstance(each, int) else 0 for each in (minutes, megabytes))
        name, limit, memory = _limits(executor.get_partition_arg(job), given, minutes, megabytes)
        what = f"the group {job.group}" if job.group else f"the rule {job.rule.name}"
        if megabytes > memory:
            raise ClusterError(
                f"found nodes of {memory:,} MB in partition {name}, drained and down ones aside, expected"
                f" {megabytes:,} MB, which {what} asks for; name a partition that has more (slurm_partition), cut the"
                " shards smaller, or ask for less (--set-resources RULE:mem_mb=...)"
            )
        if minutes > minutes_of(limit):
            raise ClusterError(
                f"found the limit {limit} of partition {name}, expected {minutes} minutes or more, which {what} asks"
                " for: Slurm would never start it; name a partition that gives more time (slurm_partition), or less"
                " time (--set-resources RULE:runtime=60), or take rules out of the group in profiles/slurm"
            )


def _limits(argument, given, minutes, megabytes):
    """Name, most time and most memory of the partition that a job names or, of several such as ` -p short,long`, of one
    that can start it, if any can. Without a name that it shows, Slurm decides.
    """
    names = "".join(shlex.split(argument)[1:]).split(",")
    if not given.keys() >= {*names}:
        return None, "infinite", math.inf
    places = [(name, given[name][0].limit, most_memory(given[name])) for name in names]
    return max(places, key=lambda place: (minutes <= minutes_of(place[1]), megabytes <= place[2], place[2]))


def partitions() -> dict[str, list[Nodes]]:
    """The nodes of each partition, those of one size together."""
    sizes = {}  # (partition, limit, megabytes) -> [nodes in use, nodes out of use]
    for line in slurm("sinfo", "--noheader", "--exact", "--format=%R|%l|%m|%D|%T").splitlines():
        name, limit, memory, count, state = line.split("|")
        counts = sizes.setdefault((name, limit, int(memory)), [0, 0])
        counts[state.startswith(OUT_OF_USE)] += int(count)
    nodes = {}
    for (name, limit, memory), (in_use, out_of_use) in sizes.items():
        nodes.setdefault(name, []).append(Nodes(limit, memory, in_use, out_of_use))
    return nodes


def most_memory(nodes: list[Nodes]) -> int:
    """Megabytes of the largest node that is in use, or of the largest if none is."""
    return max((each.in_use > 0, each.memory) for each in nodes)[1]


def minutes_of(limit: str) -> float:
    """A time limit as Slurm writes it, such as 1-12:00:00, 04:00:00 or 30:00."""
    days, _, clock = limit.rpartition("-")
    if not re.fullmatch(r"\d+(:\d\d){1,2}", clock):
        return math.inf  # infinite, n/a
    hours, minutes, seconds = ([0] * 2 + [int(part) for part in clock.split(":")])[-3:]
    return int(days or 0) * 24 * 60 + hours * 60 + minutes + seconds / 60


def asked_for_states(running: dict) -> str:
    """The command that says how jobs fare. Without accounting, only the controller knows how a job ended, and forgets
    it soon.
    """
    if not running["AccountingStorageType"].endswith("none") and running["AccountingStorageType"] != "(null)":
        return "sacct"
    age = int(re.match(r"\d+", running["MinJobAge"])[0])
    if age < LEAST_AGE:
        raise ClusterError(
            f"found MinJobAge={age} in the configuration of this Slurm, which has no accounting, expected at least"
            f" {LEAST_AGE}: it would forget how jobs ended before anybody asks; have that changed in slurm.conf"
        )
    return "squeue"


def configuration() -> dict:
    settings = dict.fromkeys(("AccountingStorageType", "MinJobAge"))
    for line in slurm("scontrol", "show", "config").splitlines():
        name, _, value = line.partition("=")
        if name.strip() in settings:
            settings[name.strip()] = value.strip()
    if None in settings.values():
        raise ClusterError("scontrol show config: found no AccountingStorageType or no MinJobAge, expected both")
    return settings


def _end_leftovers():
    """Jobs of a run that was killed would go on beside those that replace them. They are asked to end, so that what
    they have in flight is kept. Returns whether there were any.
    """
    warned, names = False, ",".join(scheduler_commands.names(COMMANDS))
    if not names:
        return warned
    for waited in range(DRAINING):
        listed = slurm("squeue", "--noheader", "--me", f"--name={names}", "--format=%i %j")
        jobs = dict(line.split() for line in listed.splitlines())
        if not jobs:
            return warned
        if not warned:
            warned = True
            so = "are still there; they are asked to end, and then this run is planned again"
            sys.stderr.write(f"{len(jobs)} jobs of a run that was killed {so}.\n")
            _cancel(jobs, "--state=PENDING")
            _cancel(jobs, "--signal=TERM", "--full")
        elif waited == DRAINING - 30:
            _cancel(jobs)
        time.sleep(1)
    raise ClusterError(f"found jobs of an earlier run, {' '.join(jobs)}, that do not end; see why, or cancel them")


def _plan_again(workflow):
    """Start over in this process. When the run was planned, the jobs that have ended since were still writing tables,
    and Snakemake removes those of a job that is ended as it finishes.
    """
    workflow.persistence.unlock()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def _cancel(jobs, *how):
    for name in sorted(set(jobs.values())):
        slurm("scancel", "--me", f"--name={name}", *how)


def slurm(*words) -> str:
    """What a command prints; Slurm's commands fail now and then while its controller is busy."""
    for pause in (1, 5, 20, None):
        done = subprocess.run(words, capture_output=True, text=True, timeout=120)
        if not done.returncode:
            return done.stdout
        if pause:
            time.sleep(pause)
    raise ClusterError(f"{' '.join(words)}: {done.stderr.strip() or done.returncode}; try `sinfo`")

"""Jobs that have finished and of which Snakemake does not know it.

Of a submission of several rules that failed, what its finished jobs made stays, and one of its jobs says why. Snakemake
takes such a group for one job, and removes all that a failed one made. But it marks outputs as incomplete when it
submits them, and a job that ends takes the marks off its outputs. So a job whose outputs are there without a mark has
finished, and the head records it as if it had been submitted alone.

Where the head was killed before it saw that a job on another machine had ended, it has no record of settings, code and
inputs, or an older one. Such an output looks finished, and what changes later would pass it by. It is marked as
incomplete, so that the next run makes it again; what was asked for it stands in the ledger.
"""

import asyncio
import contextlib
import os
import sys
from pathlib import Path

from snakemake.jobs import GroupJob
from snakemake.logging import logger
from snakemake.persistence.file import FilePersistence
from snakemake_interface_logger_plugins.common import LogEvent

LATENCY = 60  # seconds until a node has to see what the head wrote, and the reverse
BEGUN = Path(".snakemake/remote.run")  # written when the last run began whose jobs go to other machines
SECONDS = 1  # by which the time of a file and that of its record may differ


def keep_finished() -> None:
    """When the first job is about to start."""
    register, postprocess = GroupJob.register, GroupJob.postprocess

    def submit(group, **how):
        group.is_submitted = False
        register(group, **how)  # which a full disk may stop half-way; Snakemake goes on then
        group.is_submitted = True

    async def end(group, error=False, **how):
        if not error:
            await postprocess(group, **how)
            return
        for job in _jobs(group):
            await asyncio.sleep(0.1)  # as Snakemake does, so that what is made later is newer
            await job.postprocess(error=not _has_finished(job, group), check_output_mtime=False, **how)

    GroupJob.register, GroupJob.postprocess, GroupJob.log_error = submit, end, _log_error


def _log_error(group, msg=None, aux_logs=None, **more):
    """Snakemake blames each job of the group; here only the one that failed, or was at work when the group ended."""
    jobs = _jobs(group)
    finished = [job for job in jobs if _has_finished(job, group)]
    for job in finished:
        number = job.dag.jobid(job)
        logger.info(f"Finished jobid: {number}", extra={"event": LogEvent.JOB_FINISHED, "job_id": number})
    others = [job for job in jobs if job not in finished] or jobs[-1:]
    failed = min(others, key=_innocence)
    others = [job.get_log_error_info(indent=True) for job in others if job is not failed]
    extra = {"groupid": group.groupid, "aux_logs": aux_logs or [], "job_error_info": others}
    logger.error(f"Error in group {group.groupid}", extra={"event": LogEvent.GROUP_ERROR, **extra, **more})
    failed.log_error(msg, aux_logs=aux_logs, **more)


def _jobs(group):
    """What is made first stands first."""
    return [job for level in group.toposorted for job in level]


def _has_finished(job, group):
    is_submitted = getattr(group, "is_submitted", False)  # else nothing is marked, and all that is there is older
    return is_submitted and all(map(_is_there, job.output)) and not _marks(job)


def _innocence(job):
    """0 of a job that failed, 1 of one that was at work, 2 of one that had not begun."""
    marks = _marks(job)
    if not marks:
        return 0
    persistence = job.dag.workflow.persistence
    marked = max(persistence._get_recorded_starttime(mark) or 0 for mark in marks)
    return 1 if any(Path(log).exists() and Path(log).stat().st_mtime >= marked for log in job.log) else 2


def _marks(job):
    """Of its outputs, those that are marked as incomplete. The cache of marks belongs to the scheduler's thread."""
    persistence, outputs = job.dag.workflow.persistence, [*map(str, job.output)]
    if not isinstance(persistence, FilePersistence):
        return persistence._filter_incomplete_keys(outputs)
    folder = persistence._incomplete_path
    return [output for output in outputs if _is_there(persistence._record_path(folder, output))]


def _is_there(path):
    """NFS remembers what a folder holds, and asks the server again when somebody opens the folder."""
    with contextlib.suppress(FileNotFoundError):
        os.close(os.open(Path(path).absolute().parent, os.O_RDONLY))
    return Path(path).exists()


def begin(workflow) -> None:
    """When the first job is about to start."""
    if not workflow.local_exec:
        BEGUN.write_text("")


def mark_lost(workflow) -> None:
    """While the Snakefile is read, when all rules are known. What was there before the last such run, as tables that
    somebody copied here, stays.
    """
    if not workflow.is_main_process or not BEGUN.exists():
        return
    since, records = BEGUN.stat().st_mtime - LATENCY, FilePersistence(nolock=True)
    patterns = [output for rule in workflow.rules for output in rule.output]
    lost = [path for path in sorted(map(str, Path("results").rglob("*"))) if _is_lost(path, since, records)]
    lost = [path for path in lost if any(pattern.match(path) for pattern in patterns)]
    for path in lost:
        records._mark_incomplete(path, None)
    if lost:
        sys.stderr.write(f"{len(lost)} outputs of jobs whose end no run saw are made again.\n")


def _is_lost(path, since, records):
    try:
        changed = Path(path).stat().st_mtime
    except FileNotFoundError:  # a run beside this one has just removed it
        return False
    record = records._read_record(path) if changed > since else None
    return changed > since and (record is None or record.endtime < changed - SECONDS)

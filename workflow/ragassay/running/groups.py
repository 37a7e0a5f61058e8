"""A submission of several rules that failed: what its finished jobs made stays, and one of its jobs says why.

Snakemake takes a group for one job, and removes all that a failed one made. But it marks outputs as incomplete when it
submits them, and a job that ends takes the marks off its outputs. So a job whose outputs are there without a mark has
finished, and the head records it as if it had been submitted alone.
"""

import asyncio
import contextlib
import os
from pathlib import Path

from snakemake.jobs import GroupJob
from snakemake.logging import logger
from snakemake.persistence.file import FilePersistence
from snakemake_interface_logger_plugins.common import LogEvent


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

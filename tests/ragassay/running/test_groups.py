"""A group that failed: which of its jobs had finished, and which says why."""

import asyncio
import logging
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.jobs import GroupJob
from snakemake.logging import logger
from snakemake.persistence.file import FilePersistence
from snakemake_interface_logger_plugins.common import LogEvent

from ragassay.running.groups import keep_finished


@pytest.fixture
def group(tmp_path, monkeypatch):
    """Three jobs, one after the other: the first has finished, the second is at work, the third has not begun, but its
    output is there from an earlier run.
    """
    monkeypatch.chdir(tmp_path)
    for name in ("register", "postprocess", "log_error"):
        monkeypatch.setattr(GroupJob, name, getattr(GroupJob, name))
    persistence = FilePersistence(nolock=True)

    class Job(SimpleNamespace):
        __hash__ = object.__hash__

        async def postprocess(self, error, **_):
            self.ended = "failed" if error else "well"

        def register(self, external_jobid=None):
            for path in self.output:
                persistence._mark_incomplete(path, external_jobid)

        def get_log_error_info(self, indent):
            return {"jobid": self.rule}

        def log_error(self, msg, **about):
            logger.error(msg, extra={"event": LogEvent.JOB_ERROR, "jobid": self.rule} | about)

    dag = SimpleNamespace(workflow=SimpleNamespace(persistence=persistence), jobid=lambda job: job.rule)
    jobs = [Job(rule=rule, output=[f"{rule}.table"], log=[f"{rule}.log"], dag=dag, ended="") for rule in "abc"]
    group = GroupJob.__new__(GroupJob)
    group.groupid, group.jobs, group.toposorted, group.persistence = "g", jobs, [[job] for job in jobs], persistence
    for name in ("a.table", "c.table", "c.log"):
        (tmp_path / name).touch()
    os.utime("c.log", (0, 0))
    keep_finished()
    return group


def submitted(group):
    group.register(external_jobid="7")
    group.persistence._unmark_incomplete("a.table")
    Path("b.log").touch()
    return group


def ended(group):
    asyncio.run(group.postprocess(error=True))
    return [job.ended for job in group.jobs]


@pytest.fixture
def events(group):
    """(event, job) of what is logged."""
    records, handler = [], logging.Handler()
    handler.emit = records.append
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield lambda: [(record.event, getattr(record, "job_id", getattr(record, "jobid", None))) for record in records]
    logger.removeHandler(handler)


def test_what_has_finished_ends_well_and_what_is_left_of_others_goes(group):
    assert ended(submitted(group)) == ["well", "failed", "failed"]


def test_a_group_that_slurm_refused_has_made_nothing_of_what_is_there(group):
    assert ended(group) == ["failed"] * 3


def test_a_finished_job_whose_table_is_gone_has_not_finished(group, tmp_path):
    submitted(group)
    (tmp_path / "a.table").unlink()
    assert ended(group) == ["failed"] * 3


def test_the_job_that_was_at_work_says_why(group, events):
    submitted(group).log_error("cancelled", aux_logs=["7.log"], external_jobid="7")
    assert events() == [(LogEvent.JOB_FINISHED, "a"), (LogEvent.GROUP_ERROR, None), (LogEvent.JOB_ERROR, "b")]


def test_a_job_that_failed_says_why_and_not_one_beside_it(group, events):
    submitted(group)
    group.persistence._unmark_incomplete("c.table")
    Path("c.table").unlink()
    group.log_error("failed", aux_logs=["7.log"], external_jobid="7")
    assert events()[-1] == (LogEvent.JOB_ERROR, "c")


def test_a_group_that_ended_well_is_snakemakes_affair(group):
    asyncio.run(group.postprocess())
    assert [job.ended for job in group.jobs] == ["well"] * 3

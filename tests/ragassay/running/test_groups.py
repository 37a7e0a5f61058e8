"""A group that failed: which of its jobs had finished, and which says why."""

import asyncio
import errno
import logging
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.jobs import GroupJob
from snakemake.logging import logger
from snakemake.persistence.db import DbPersistence
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
                dag.workflow.persistence._mark_incomplete(path, external_jobid)

        def get_log_error_info(self, indent):
            return {"jobid": self.rule}

        def log_error(self, msg, **more):
            logger.error(msg, extra={"event": LogEvent.JOB_ERROR, "jobid": self.rule} | more)

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


def test_what_was_there_before_is_not_recorded_where_the_disk_had_no_room_for_marks(group, monkeypatch):
    def full(self, key, external_jobid):
        if key == "c.table":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return mark(self, key, external_jobid)

    mark = FilePersistence._mark_incomplete
    submitted(group)  # an earlier try, which was marked
    monkeypatch.setattr(FilePersistence, "_mark_incomplete", full)
    group.persistence._unmark_incomplete("c.table")
    with pytest.raises(OSError, match="No space left"):  # Snakemake's executor logs it, and goes on
        group.register(external_jobid="8")
    assert ended(group) == ["failed"] * 3


def test_marks_are_looked_at_as_they_are_and_not_in_snakemakes_cache(group, monkeypatch):
    def forgotten(persistence, keys):
        raise TypeError("argument of type 'NoneType' is not iterable")  # another thread has just cleared it

    submitted(group)
    monkeypatch.setattr(FilePersistence, "_filter_incomplete_keys", forgotten)
    assert ended(group) == ["well", "failed", "failed"]


def test_a_folder_is_opened_before_what_it_holds_counts(group, monkeypatch):
    """As on NFS, where the head sees what a folder held when it was opened last."""
    Path("a.table").unlink()
    group.register(external_jobid="7")
    folders, opened = [Path.cwd(), Path(".snakemake/incomplete").absolute()], os.open
    seen = {path for folder in folders for path in folder.iterdir()}
    group.persistence._unmark_incomplete("a.table")  # on a node
    Path("a.table").touch()

    def look(folder, flags):
        seen.difference_update([path for path in seen if path.parent == folder])
        seen.update(folder.iterdir())
        return opened(folder, flags)

    monkeypatch.setattr(Path, "exists", lambda path: path.absolute() in seen)
    assert ended(group) == ["failed"] * 3
    monkeypatch.setattr(os, "open", look)
    assert ended(group) == ["well", "failed", "failed"]


def test_marks_in_a_data_base_count_too(group, tmp_path):
    database = DbPersistence(nolock=True, db_url=f"sqlite:///{tmp_path / 'marks.db'}")
    group.persistence = group.jobs[0].dag.workflow.persistence = database  # that of all jobs
    assert ended(submitted(group)) == ["well", "failed", "failed"]


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

"""Of a group that failed, which jobs had finished, and which says why. What a job wrote after its head was killed is
made again, and nothing else.
"""

import asyncio
import contextlib
import errno
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from snakemake.jobs import GroupJob
from snakemake.logging import logger
from snakemake.persistence.db import DbPersistence
from snakemake.persistence.file import FilePersistence
from snakemake_interface_logger_plugins.common import LogEvent

from clocks import until
from project import ROOT, TINY, planned, snakemake
from ragassay.running.finished_jobs import BEGUN, LATENCY, SECONDS, begin, keep_finished


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


SNAKEFILE = f"""
import sys
sys.path.insert(0, {str(ROOT / "workflow")!r})
from ragassay.running import finished_jobs

rule all:
    input: expand("results/numbers/{{shard}}", shard=["a", "b"]), "results/folder"

rule number:
    output: "results/numbers/{{shard}}"
    params: votes=config.get("votes", 9)
    shell: "echo {{params.votes}} > {{output}}"

rule folder:
    output: directory("results/folder")
    shell: "mkdir {{output}}; touch {{output}}/inner"

finished_jobs.mark_lost(workflow)
"""
LOCAL = ("--rerun-triggers", "params", "--profile", "none", "--rerun-incomplete", "--cores", "1")
REMOTE = ("--mode", "remote", "--force", "--nolock")  # as in a job on a node, which leaves records to the head


@pytest.fixture
def run(tmp_path):
    """Runs Snakemake there and gives what it wrote."""
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    (tmp_path / BEGUN).parent.mkdir()
    return lambda *words: snakemake(tmp_path, *LOCAL, *words).stdout


def begin_on_a_cluster(folder, ago=0):
    (folder / BEGUN).write_text("name")
    os.utime(folder / BEGUN, (time.time() - ago,) * 2)


def test_what_a_job_wrote_without_a_head_is_made_again_with_its_record(run, tmp_path):
    run("results/numbers/a", "results/folder")
    begin_on_a_cluster(tmp_path, ago=LATENCY / 2)
    run("results/numbers/b", *REMOTE)
    told = run("--dry-run")
    assert "1 outputs of jobs whose end no run saw are made again" in told
    assert "results/numbers/b" in told and "output: results/numbers/a" not in told and "rule folder" not in told
    run()
    assert "Nothing to be done" in run("--dry-run")
    told = run("--dry-run", "--config", "votes=7")
    assert told.count("rule number:") == 2, "a change of a setting reaches all shards"


def test_an_older_record_does_not_stand_for_what_was_made_later(run, tmp_path):
    run()
    for name in "ab":
        os.utime(tmp_path / f"results/numbers/{name}", (time.time() - 50,) * 2)
    run("--touch")
    begin_on_a_cluster(tmp_path)
    run("results/numbers/b", *REMOTE, "--config", "votes=7")
    os.utime(tmp_path / "results/numbers/b", (time.time() + 2 * SECONDS,) * 2)
    told = run("--dry-run")
    assert "output: results/numbers/b" in told and "output: results/numbers/a" not in told


def test_a_run_on_this_machine_begins_none_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    BEGUN.parent.mkdir()
    for local in (True, False):
        begin(SimpleNamespace(local_exec=local))
        assert BEGUN.exists() != local


def test_tables_that_were_there_before_or_never_saw_a_cluster_are_left_alone(run, tmp_path):
    (tmp_path / "results/numbers").mkdir(parents=True)
    for name in "ab":
        (tmp_path / f"results/numbers/{name}").write_text("given")
    assert "rule number" not in run("--dry-run", "results/numbers/a")
    begin_on_a_cluster(tmp_path, ago=-2 * LATENCY)
    assert "rule number" not in run("--dry-run", "results/numbers/a")


def test_on_one_machine_snakemake_itself_knows_what_a_killed_run_left(run, tmp_path):
    waiting = SNAKEFILE.replace("echo {params.votes}", "touch begun; while ! test -e go; do sleep 0.1; done; echo 9")
    (tmp_path / "Snakefile").write_text(waiting)
    command = [sys.executable, "-m", "snakemake", *LOCAL, "results/numbers/a"]
    head = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, start_new_session=True)
    while not (tmp_path / "begun").exists():
        assert head.poll() is None
        time.sleep(0.05)
    head.send_signal(signal.SIGKILL)
    head.wait()
    (tmp_path / "go").touch()
    until((tmp_path / "results/numbers/a").exists)
    assert "rule number:" in run("--dry-run", "--nolock", "results/numbers/a")


VOTES = "results/scope_votes/authors/careful/{}.parquet"
SELECTED = [f"results/selected_questions/authors/careful/2026-0{month}.parquet" for month in (1, 2, 9)]


def is_newer(path, moment):
    with contextlib.suppress(FileNotFoundError):  # until its job has run again
        return path.stat().st_mtime_ns > moment
    return False


def is_at_work(process):
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.status() != psutil.STATUS_ZOMBIE
    return False


def test_after_a_killed_head_a_change_plans_what_it_plans_in_a_project_that_nobody_disturbed(done, tiny, tmp_path):
    """The head dies when a job has written its table and the head has not heard of it yet; another job is running."""
    tables = [done / VOTES.format(f"2026-0{month}") for month in (1, 2, 9)]
    begun = max(table.stat().st_mtime_ns for table in tables)
    command = [sys.executable, "-m", "snakemake", *SELECTED, *TINY, "--cores", "2", "--forcerun", "judge_scope"]
    head = subprocess.Popen(command, cwd=done, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
    while not any(is_newer(table, begun) for table in tables):
        assert head.poll() is None
    head.send_signal(signal.SIGSTOP)  # first, so that the jobs are those that it leaves
    jobs = psutil.Process(head.pid).children(recursive=True)
    head.send_signal(signal.SIGKILL)
    head.wait()
    while any(map(is_at_work, jobs)):
        time.sleep(0.05)
    unseen = [path for path in (done / ".snakemake/incomplete").rglob("*") if path.is_file()]
    assert unseen, "the head has missed nothing"
    snakemake(done, *SELECTED, *TINY)
    changed = tmp_path / "changed.json"
    changed.write_text('{"scope": {"judging": {"votes": 5}}}')
    subprocess.run(["cp", "-a", tiny, tmp_path / "undisturbed"], check=True)
    assert planned(done, *TINY, changed) == planned(tmp_path / "undisturbed", *TINY, changed)
    assert planned(done, *TINY, changed)["judge_scope"] == 3

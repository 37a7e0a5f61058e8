"""What a job wrote after its head was killed is made again, and nothing else."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import psutil
import pytest

from project import ROOT, TINY, planned, snakemake
from ragassay.running.cluster import LATENCY
from ragassay.running.lost_records import BEGUN, SECONDS, begin

SNAKEFILE = f"""
import sys
sys.path.insert(0, {str(ROOT / "workflow")!r})
from ragassay.running import lost_records

rule all:
    input: expand("results/numbers/{{shard}}", shard=["a", "b"]), "results/folder"

rule number:
    output: "results/numbers/{{shard}}"
    params: votes=config.get("votes", 9)
    shell: "echo {{params.votes}} > {{output}}"

rule folder:
    output: directory("results/folder")
    shell: "mkdir {{output}}; touch {{output}}/inner"

lost_records.mark(workflow)
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
    while not (tmp_path / "results/numbers/a").exists():
        time.sleep(0.05)
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

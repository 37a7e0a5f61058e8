"""Jobs that wait for a model run beside those that compute, also when every core is taken; the lock of a killed run is
taken over by the next one, and that of a living run is not.
"""

import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from clocks import until
from project import ROOT, snakemake
from ragassay.base.atomic import HOST
from ragassay.running import machine

BEGIN = f"""
import sys
sys.path.insert(0, {str(ROOT / "workflow")!r})
from ragassay.running import machine
machine.prepare(workflow)
onstart: machine.begin(workflow)
"""
COMPUTING = (
    BEGIN
    + """
rule all:
    input: "a", "b", "asked"

rule question:
    output: "question"
    threads: 0
    shell: "touch {output}"

rule ask:  # ready when the jobs that compute have begun
    input: "question"
    output: "asked"
    threads: 0
    shell: "touch {output}"

rule compute:  # alone, and not before the question was asked
    output: "{name,[ab]}"
    shell:
        "mkdir alone && for try in $(seq 600); do test -e asked && break; sleep 0.1; done; test -e asked"
        " && rmdir alone && touch {output}"
"""
)
LOCKING = (
    BEGIN
    + """
rule stay:
    output: "stayed"
    shell: "touch begun; while ! test -e go; do sleep 0.1; done; touch {output}"
"""
)
WAKING = (
    BEGIN
    + """
import threading

onsuccess:
    timers = sum(isinstance(thread, threading.Timer) for thread in threading.enumerate())
    open("timers", "w").write(f"{timers} {workflow.scheduler.job_rate_limiter is None}")

rule all:
    input: "a", "b", "c"

rule make:
    output: "{name,[abc]}"
    shell: "touch {output}"
"""
)
PROFILE = ("--profile", "none", "--default-resources", "computing=threads", "asking=max(0,1-threads)")
TAKEN = "its lock is taken over"


def test_a_job_that_waits_for_a_model_starts_while_the_only_core_computes_one_job_at_a_time(tmp_path):
    (tmp_path / "Snakefile").write_text(COMPUTING)
    shown = snakemake(tmp_path, "--cores", "1", "--scheduler", "greedy", *PROFILE).stdout
    assert "Provided cores: 1" in shown and (tmp_path / "a").exists() and (tmp_path / "b").exists()


@pytest.fixture
def start(tmp_path):
    (tmp_path / "Snakefile").write_text(LOCKING)
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--profile", "none", "--rerun-incomplete"]
    together = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "start_new_session": True}
    return lambda: subprocess.Popen(command, cwd=tmp_path, **together)


def test_nothing_but_the_end_of_a_job_wakes_the_scheduler_unless_jobs_are_limited(tmp_path):
    (tmp_path / "Snakefile").write_text(WAKING)
    snakemake(tmp_path, "--cores", "1", *PROFILE)
    assert (tmp_path / "timers").read_text() == "0 True"
    snakemake(tmp_path, "--cores", "1", "--forceall", "--max-jobs-per-timespan", "50/1s", *PROFILE)
    assert (tmp_path / "timers").read_text().endswith(" False")


def test_the_next_run_takes_over_what_a_killed_one_left_and_leaves_a_living_one_alone(start, tmp_path):
    first = start()
    until((tmp_path / "begun").exists)
    beside = start()
    refused, _ = beside.communicate()
    assert beside.returncode == 1 and "lock" in refused and TAKEN not in refused
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    (tmp_path / "go").touch()
    after = start()
    printed, _ = after.communicate()
    assert after.returncode == 0 and TAKEN in printed, printed
    assert (tmp_path / "stayed").exists() and not (tmp_path / ".snakemake/locks").exists()


@pytest.mark.parametrize(("host", "taken"), [(None, False), ("another", False), (HOST, True)])
def test_what_may_be_a_run_on_another_machine_is_left_alone(tmp_path, monkeypatch, host, taken):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(machine, "_held", [])
    machine.LOCKS.mkdir(parents=True)
    (machine.LOCKS / "0.output.lock").write_text("stayed")
    if host:
        machine.OWNER.write_text(host)
    machine.take_over(SimpleNamespace(is_main_process=False))
    assert machine.LOCKS.exists()
    machine.take_over(SimpleNamespace(is_main_process=True))
    assert machine.LOCKS.exists() != taken
    for file in machine._held:
        file.close()

"""The lock of a killed run is taken over by the next one, and that of a living run is not."""

import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from project import ROOT
from ragassay.base.atomic import HOST
from ragassay.running import run_lock

SNAKEFILE = """
from ragassay.running import run_lock
run_lock.take_over(workflow)
onstart: run_lock.own()

rule stay:
    output: "stayed"
    shell: "touch begun; while ! test -e go; do sleep 0.1; done; touch {output}"
"""
COMMAND = [sys.executable, "-m", "snakemake", "--cores", "1", "--profile", "none", "--rerun-incomplete"]
TAKEN = "its lock is taken over"


@pytest.fixture
def start(tmp_path):
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    together = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return lambda: subprocess.Popen(COMMAND, cwd=tmp_path, env=environment, start_new_session=True, **together)


def test_the_next_run_takes_over_what_a_killed_one_left_and_leaves_a_living_one_alone(start, tmp_path):
    first = start()
    while not (tmp_path / "begun").exists():
        assert first.poll() is None, first.communicate()[0]
        time.sleep(0.05)
    beside = start()
    refused, _ = beside.communicate()
    assert beside.returncode == 1 and "lock" in refused and TAKEN not in refused
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    (tmp_path / "go").touch()
    after = start()
    told, _ = after.communicate()
    assert after.returncode == 0 and TAKEN in told, told
    assert (tmp_path / "stayed").exists() and not (tmp_path / ".snakemake/locks").exists()


@pytest.mark.parametrize(("host", "taken"), [(None, False), ("another", False), (HOST, True)])
def test_what_may_be_a_run_on_another_machine_is_left_alone(tmp_path, monkeypatch, host, taken):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run_lock, "_held", [])
    run_lock.LOCKS.mkdir(parents=True)
    (run_lock.LOCKS / "0.output.lock").write_text("stayed")
    if host:
        run_lock.OWNER.write_text(host)
    run_lock.take_over(SimpleNamespace(is_main_process=False))
    assert run_lock.LOCKS.exists()
    run_lock.take_over(SimpleNamespace(is_main_process=True))
    assert run_lock.LOCKS.exists() != taken
    for file in run_lock._held:
        file.close()

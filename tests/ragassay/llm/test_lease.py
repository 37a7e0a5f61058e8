"""Leases: one at a time, taken over from the dead and the silent, lost when somebody took over."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from ragassay.llm import lease
from ragassay.llm.lease import Lease
from ragassay.llm.register import Register

pytestmark = pytest.mark.clock
HOLD = """
import sys, time
from ragassay.llm.lease import Lease

with Lease(sys.argv[1]) as lease:
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
print("released", flush=True)
"""


def holder(folder, seconds):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder), str(seconds)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "held\n"
    return process


def seconds_to_take(folder):
    start = time.monotonic()
    with Lease(folder):
        return time.monotonic() - start


def test_a_newcomer_waits_for_the_one_before(tmp_path):
    with holder(tmp_path, 1.0) as process:
        assert seconds_to_take(tmp_path) > 0.5
        assert process.wait() == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == []


def test_a_killed_holder_on_this_machine_is_taken_over_at_once(tmp_path):
    with holder(tmp_path, 60) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert seconds_to_take(tmp_path) < 1
    assert list(tmp_path.iterdir()) == []


def silent(folder, seconds, host="elsewhere"):
    """A lease of another machine that was last touched some time ago."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lease").write_text(f'{{"host": "{host}", "pid": {os.getpid()}}}')
    then = time.time() - seconds
    os.utime(folder / "lease", (then, then))


def test_a_silent_holder_elsewhere_is_taken_over_after_a_minute(tmp_path):
    silent(tmp_path, lease.STALE + 5)
    assert seconds_to_take(tmp_path) < 1


def test_a_holder_elsewhere_that_is_not_silent_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(lease, "STALE", 3.0)
    silent(tmp_path, 1.5)
    assert 0.8 < seconds_to_take(tmp_path) < 10


def test_a_damaged_lease_does_not_block_for_ever(tmp_path):
    (tmp_path / "lease").write_text("not json")
    os.utime(tmp_path / "lease", (0, 0))
    assert seconds_to_take(tmp_path) < 1


def test_who_is_taken_over_notices_and_leaves_the_other_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(lease, "BEAT", 0.05)
    with Lease(tmp_path) as first:
        (tmp_path / "lease").rename(tmp_path / "broken")
        (tmp_path / "lease").write_text('{"host": "elsewhere", "pid": 1}')
        end = time.monotonic() + 5
        while not first.lost and time.monotonic() < end:
            time.sleep(0.02)
        assert first.lost
    assert "elsewhere" in (tmp_path / "lease").read_text()


def test_many_at_once_hold_it_one_after_the_other(tmp_path):
    started = [
        subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path), "0.1"], stdout=subprocess.PIPE) for _ in range(5)
    ]
    assert [process.communicate(timeout=60)[0] for process in started] == [b"held\nreleased\n"] * 5
    assert list(tmp_path.iterdir()) == []


def test_what_keeps_a_lease_keeps_the_place_in_the_register(tmp_path, monkeypatch):
    """For a job that computes between two answers and asks for nothing."""
    monkeypatch.setattr(lease, "BEAT", 0.05)
    register = Register(tmp_path / "model", tmp_path / "own")
    with Lease(tmp_path / "own", register=register):
        with register.shared() as (kept, now):
            kept["jobs"][register.name] = [now, 0, 0]
        stamped, end = now, time.monotonic() + 5
        while stamped <= now and time.monotonic() < end:
            time.sleep(0.02)
            stamped = json.loads(register.grants.read_text())["jobs"][register.name][0]
        assert stamped > now


def test_replay_takes_no_lease(tmp_path):
    with Lease(tmp_path / "nothing", needed=False):
        assert not (tmp_path / "nothing").exists()

"""Leases: one at a time, taken over from the dead and the silent, lost when somebody took over."""

import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from ragassay.calls.ledger import lease
from ragassay.calls.ledger.lease import Lease
from ragassay.calls.ledger.register import Register

LOOKS = 1 + round(2 * lease.BEAT / 0.2)  # until a newcomer believes in a silence

HOLD = """
import sys
from ragassay.calls.ledger.lease import Lease

with Lease(sys.argv[1]) as lease:
    print("held", flush=True)
    sys.stdin.read()
print("released", flush=True)
"""


def holder(folder):
    """A process that holds the lease until its input ends."""
    command = [sys.executable, "-c", HOLD, str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    return process


@pytest.fixture
def waits(monkeypatch):
    """A function that takes the lease and returns how often it had to wait. What happens meanwhile, it is told."""

    def taken(folder, meanwhile=lambda number: None):
        count = 0

        def sleep(_):
            nonlocal count
            count += 1
            meanwhile(count)

        monkeypatch.setattr(lease, "time", SimpleNamespace(sleep=sleep, monotonic=lambda: 0.2 * count))
        with Lease(folder):
            return count

    return taken


def test_a_newcomer_waits_for_the_one_before(tmp_path, waits):
    with holder(tmp_path) as process:
        assert waits(tmp_path, lambda number: process.communicate() if number == 10 else None) == 10
        assert process.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == []


def test_a_killed_holder_on_this_machine_is_taken_over_at_once(tmp_path, waits):
    with holder(tmp_path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert waits(tmp_path) == 1
    assert list(tmp_path.iterdir()) == []


def silent(folder, seconds, host="elsewhere"):
    """A lease of another machine that was last touched some time ago."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lease").write_text(f'{{"host": "{host}", "pid": {os.getpid()}}}')
    then = time.time() - seconds
    os.utime(folder / "lease", (then, then))


def test_a_silent_holder_elsewhere_is_taken_over_after_a_minute(tmp_path, waits):
    silent(tmp_path, lease.STALE + 5)
    assert waits(tmp_path) == LOOKS


def test_a_clock_that_was_set_ahead_takes_the_lease_from_nobody(tmp_path, waits):
    def meanwhile(number):
        if number == LOOKS // 2:
            os.utime(tmp_path / "lease")  # the holder's next beat
        if number == 2 * LOOKS:
            (tmp_path / "lease").unlink()

    silent(tmp_path, 3600)
    assert waits(tmp_path, meanwhile) == 2 * LOOKS


def test_a_holder_elsewhere_that_is_not_silent_is_waited_for(tmp_path, waits):
    def meanwhile(number):
        if number <= 10:
            silent(tmp_path, 0 if number < 10 else lease.STALE + 5)

    silent(tmp_path, 0)
    assert waits(tmp_path, meanwhile) == 10 + LOOKS


def test_a_damaged_lease_does_not_block_for_ever(tmp_path, waits):
    (tmp_path / "lease").write_text("not json")
    os.utime(tmp_path / "lease", (0, 0))
    assert waits(tmp_path) == LOOKS


def test_who_is_taken_over_notices_and_leaves_the_other_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(lease, "BEAT", 0.05)
    with Lease(tmp_path) as first:
        (tmp_path / "lease").rename(tmp_path / "broken")
        (tmp_path / "lease").write_text('{"host": "elsewhere", "pid": 1}')
        while not first.lost:
            time.sleep(0.02)
    assert "elsewhere" in (tmp_path / "lease").read_text()


def test_what_keeps_a_lease_keeps_the_place_in_the_register(tmp_path, monkeypatch):
    """For a job that computes between two answers and asks for nothing."""
    monkeypatch.setattr(lease, "BEAT", 0.05)
    register = Register(tmp_path / "model", tmp_path / "own")
    with Lease(tmp_path / "own", register=register):
        with register.shared() as (kept, now):
            kept["jobs"][register.name] = [now, 0, 0]
        stamped = now
        while stamped <= now:
            time.sleep(0.02)
            with register.shared() as (kept, _):
                stamped = kept["jobs"][register.name][0]

"""Leases: one at a time, taken over from the dead and the silent, lost when somebody took over, counted for shares."""

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


@pytest.mark.parametrize("others", [0, 2])
def test_live_leases_of_one_register_share_the_limits(tmp_path, others):
    for ledger in ("old/shard", "gone", *(f"rule{number}/shard" for number in range(others))):
        Register(tmp_path / "model", tmp_path / ledger).join()
    for number in range(others):
        silent(tmp_path / f"rule{number}/shard", 1)
    silent(tmp_path / "old/shard", lease.STALE + 100)
    silent(tmp_path / "another model", 1)
    with Lease(tmp_path / "own", register=Register(tmp_path / "model", tmp_path / "own")) as own:
        assert own.shares == others + 1
    with Lease(tmp_path / "own") as own:
        assert own.shares == 1


def test_who_is_done_leaves_the_register(tmp_path):
    register = Register(tmp_path / "model", tmp_path / "own")
    with Lease(tmp_path / "own", register=register):
        assert register.ledgers() == [tmp_path / "own"]
    assert register.ledgers() == []


def test_replay_takes_no_lease(tmp_path):
    with Lease(tmp_path / "nothing", needed=False):
        assert not (tmp_path / "nothing").exists()

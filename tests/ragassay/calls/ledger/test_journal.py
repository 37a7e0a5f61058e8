"""The file that a process appends to: what is written is forced to the disk, and after an error nothing more is."""

import binascii
import errno
import json
import os
import resource
import signal
import threading
import time
from contextlib import closing

import pytest

from clocks import until
from ragassay.calls.ledger import journal, sharing
from ragassay.calls.ledger.journal import Journal, LedgerError
from ragassay.calls.ledger.records import Ledger

KEYS = [f"{number:032x}" for number in range(3)]


def test_a_line_holds_what_json_writes():
    record = {"t": "d", "s": [0, 1], "usd": 1e-07, "w": 0.1, "body": 'Zoë \u2028 \ud83d "\n', "none": None, "yes": True}
    record |= {"in": {"b": 1, "a": []}}
    text = json.dumps(record, sort_keys=True, separators=(",", ":")).encode()
    line = journal.encode(record)
    assert line == b"%08x %d %b\n" % (binascii.crc32(text), len(text), text)
    assert journal.decode(line[:-1]) == record


def test_after_a_torn_line_nothing_more_is_written(tmp_path):
    """A line behind it would be glued to it and lost, though its writer was told that it is safe."""
    ledger = Ledger(tmp_path)
    ledger.done(ledger.intent(KEYS[0], [0]), "safe")
    size = ledger._journal.path.stat().st_size
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 40, before[1][1]))
    try:
        with pytest.raises(LedgerError, match="File too large"):
            ledger.intent(KEYS[1], [0])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before[1])
        signal.signal(signal.SIGXFSZ, before[0])
    assert ledger._journal.path.stat().st_size == size + 40
    with pytest.raises(LedgerError, match="File too large"):
        ledger.intent(KEYS[1], [0])
    with pytest.raises(LedgerError, match="File too large"):
        ledger.close()
    ledger = Ledger(tmp_path)
    assert ([list(ledger.bodies(key)) for key in KEYS], ledger.damaged) == ([[([0], "safe")], [], []], 1)
    ledger.close()


def test_short_writes_are_completed(tmp_path, monkeypatch):
    write = os.write
    monkeypatch.setattr(journal.os, "write", lambda file, data: write(file, data[:7]))
    ledger = Ledger(tmp_path)
    ledger.done(ledger.intent(KEYS[0], [0]), "a body")
    ledger.close()
    ledger = Ledger(tmp_path)
    assert (list(ledger.bodies(KEYS[0])), ledger.damaged) == ([([0], "a body")], 0)
    ledger.close()


def failing(number):
    def fail(*_):
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.ESTALE])
def test_a_failing_sync_is_told_at_once_and_stops_the_next_write(tmp_path, monkeypatch, number):
    errors, ledger = [], Ledger(tmp_path)
    ledger.on_error = errors.append
    ledger.intent(KEYS[0], [0])
    monkeypatch.setattr(journal.os, "fsync", failing(number))
    with pytest.raises(LedgerError, match=os.strerror(number)):
        ledger.intent(KEYS[1], [0])
        until(lambda: errors)
        ledger.intent(KEYS[2], [0])
    assert [os.strerror(number) in str(error) for error in errors] == [True]
    with pytest.raises(LedgerError, match=os.strerror(number)):
        ledger.close()


def test_a_sync_that_fails_at_the_end_is_an_error(tmp_path, monkeypatch):
    ledger = Ledger(tmp_path)
    ledger.intent(KEYS[0], [0])
    time.sleep(0.05)
    monkeypatch.setattr(journal.os, "fsync", failing(errno.EIO))
    with pytest.raises(LedgerError, match="Input/output error"):
        ledger.close()


class Gate(threading.Event):
    """An event for which nobody waits on the clock: the test says when a wait is over."""

    def __init__(self):
        super().__init__()
        self.waits, self.gate = [], threading.Semaphore(0)

    def wait(self, timeout=None):
        self.waits.append(timeout)
        self.gate.acquire()


def test_what_was_written_is_synced_together_every_tenth_of_a_second(tmp_path, monkeypatch):
    synced, fsync = [], os.fsync
    monkeypatch.setattr(journal.os, "fsync", lambda file: (synced.append(file), fsync(file)))
    file = Journal(tmp_path, lambda error: None)
    file.stopping = pause = Gate()
    with closing(file):
        for number in range(1, 4):
            for _ in range(100):
                file.write({"number": number})
            until(lambda: len(pause.waits) == number)  # noqa: B023
            assert len(synced) == 1 + number, "one for the folder and one for each pause"
            pause.gate.release()
        pause.gate.release()  # for the end
    assert set(pause.waits) == {0.1}


@pytest.mark.parametrize("wrong", ["file", "read only"])
def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path, monkeypatch, wrong):
    folder = tmp_path / "ledger"
    if wrong == "file":
        (tmp_path / "ledger").write_text("not a folder")
    else:  # root may write everywhere
        monkeypatch.setattr(journal.os, "open", failing(errno.EROFS))
    ledger = Ledger(folder)
    expected = r"ledger .*jsonl: (File exists|Read-only file system); nothing more is asked"
    with pytest.raises(LedgerError, match=expected):
        ledger.intent(KEYS[0], [0])
    ledger.close()


@pytest.mark.parametrize(("umask", "mode"), [(0o077, 0o700), (0o007, 0o750), (0o022, 0o755)])
def test_a_ledger_is_as_private_as_its_maker_says(tmp_path, umask, mode):
    tmp_path.chmod(0o755)
    before = os.umask(umask)
    try:
        sharing.make_folder(tmp_path / "ledger/a")
        os.close(sharing.open_file(tmp_path / "ledger/a/x", os.O_RDWR))
    finally:
        os.umask(before)
    found = [(tmp_path / name).stat().st_mode & 0o777 for name in ("ledger", "ledger/a", "ledger/a/x")]
    assert found == [mode, mode, mode & 0o666]

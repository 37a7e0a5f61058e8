"""The log of clicks: one checksummed line per event, on disk before the page reports it as stored. It is only ever
appended to, by one process at a time; an undo is an event, too. A line that was torn by a kill was never acknowledged
and is skipped; one that was damaged later is skipped with a warning."""

import binascii
import fcntl
import logging
import os
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.calls.ledger.journal import decode, encode

HEAD = len("01234567 12345 ")  # what a line begins with
log = logging.getLogger("ragassay")


class LogError(AssayError):
    """The log of labels cannot be read or written."""


def read(path) -> list[dict]:
    """All events in their order; none if there is no log yet."""
    return _read(path)[0]


def _read(path):
    """All events, and how many lines are damaged. Logs what these cost; readers continue without them."""
    try:
        lines = Path(path).read_bytes().split(b"\n")
    except FileNotFoundError:
        return [], 0
    except OSError as error:
        raise LogError(f"{path}: {error.strerror}; it holds the labels and has to be readable") from error
    events = [decode(line) for line in lines]
    unread = [number for number, event in enumerate(events, 1) if event is None]
    damaged = [number for number in unread if not _is_torn(lines[number - 1])]
    if damaged:
        names = ", ".join(map(str, damaged[:10])) + (f" and {len(damaged) - 10} more" if len(damaged) > 10 else "")
        cost = "what was clicked there is lost: a label has to be given again, and one taken back there counts again"
        log.warning("%s: damaged at line %s: %s; a copy of the file would bring it back", path, names, cost)
    return [event for event in events if event], len(damaged)


def _is_torn(line):
    """Whether only the start of the line reached the disk, so that its event was never reported as stored."""
    checksum, _, rest = line.partition(b" ")
    length, _, text = rest.partition(b" ")
    if not text:
        return len(line) < HEAD
    return (
        length.isdigit() and len(length) < 20 and len(text) < int(length) and checksum != b"%08x" % binascii.crc32(text)
    )


class Log:
    """The log, open for appending. No other process can open it until it is closed."""

    def __init__(self, path):
        self.path, self.torn = Path(path), None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            expected = "labels are kept there, expected a file that can be written"
            raise LogError(f"{path}: {error.strerror}; {expected}") from error
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self.file)
            raise LogError(f"{path}: in use by another process; expected one at a time: end it first") from None
        self.events, self.damaged = _read(self.path)
        self.size = os.fstat(self.file).st_size
        if self.size and os.pread(self.file, 1, self.size - 1) != b"\n":
            self._write(b"\n")  # so that the torn line spoils no other
        _sync_folder(self.path.parent)

    def append(self, event: dict) -> None:
        """Returns once the event is on the disk."""
        self._write(encode(event))
        self.events.append(event)

    def close(self) -> None:
        os.close(self.file)

    def _write(self, line):
        if self.torn:
            raise self.torn
        try:
            at = 0
            while at < len(line):
                at += os.write(self.file, line[at:])
            os.fsync(self.file)
        except OSError as error:
            try:
                os.ftruncate(self.file, self.size)
            except OSError:  # what comes next would be glued to what is left of this line, and lost with it
                remedy = "nothing more is stored; put it right and start again, what is in the log is kept"
                self.torn = LogError(f"{self.path}: {error.strerror}; {remedy}")
            raise LogError(f"{self.path}: {error.strerror}; the last click was not stored") from error
        self.size += len(line)


def _sync_folder(path):
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)

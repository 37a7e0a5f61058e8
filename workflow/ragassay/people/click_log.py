"""The log of clicks: one checksummed line per event, on disk before the page reports it as stored. It is only ever
appended to, by one process at a time; an undo is an event, too. Reading it names each line that is not as it was
written: one with a single flipped bit is read as it was, one that a kill cut off was never acknowledged, any other
costs its own click."""

import binascii
import fcntl
import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.calls.ledger.journal import decode, encode

HEAD = re.compile(rb"([0-9a-f]{8}) (\d{1,5}) (?={)")  # checksum and length; no text within an event can look like it
LONGEST_HEAD = len("01234567 12345 {")
TORN = b" torn"  # ends a line that a kill cut off
FLIPPED = "one bit is flipped; its click is read as it was"
CUT_OFF = "cut off as by a kill while it was written, so that its click was never confirmed; otherwise give it again"
EMPTY = "holds no click; the lines beside it are whole"
LOST = (
    "damaged: what was clicked there is lost: a label has to be given again, and one taken back there counts again;"
    " a copy of the file would bring it back"
)
ZERO = binascii.crc32(b"\0")
log = logging.getLogger("ragassay")


class LogError(AssayError):
    """The log of labels cannot be read or written."""


def read(path) -> list[dict]:
    """All events in their order; none if there is no log yet."""
    return _read(path)[0]


def _read(path):
    """All events, and how many lines are damaged. Logs each line that is not as it was written; readers go on."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        return [], 0
    except OSError as error:
        raise LogError(f"{path}: {error.strerror}; it holds the labels and has to be readable") from error
    events, damaged = [], 0
    for number, event, problem in _lines(content):
        if event:
            events.append(event)
        if problem:
            log.warning("%s line %d: %s", path, number, problem)
            damaged += problem == LOST
    return events, damaged


def _lines(content: bytes) -> Iterator[tuple[int, dict | None, str]]:
    """(number, event, problem) of each line. Whole events count wherever they are, also behind a damaged line end."""
    at, number = 0, 1
    while at < len(content):
        event, end = _event_at(content, at)
        if event:
            yield number, event, ""
            end += content[end : end + 1] == b"\n"
        else:
            heads = (head.start() for head in HEAD.finditer(content, at + 1))
            end = next((start for start in heads if _event_at(content, start)[0]), len(content))
            yield from _damaged_lines(content[at:end], number, end == len(content))
        number += content.count(b"\n", at, end)
        at = end


def _event_at(content, at):
    """The whole event that begins there, and its end."""
    head = HEAD.match(content, at)
    end = head.end() + int(head[2]) if head else at
    return decode(content[at:end]), end


def _damaged_lines(content, number, is_last):
    """The same for lines of which none is whole."""
    lines = content.removesuffix(b"\n").split(b"\n")
    while lines:
        line, *rest = lines
        if line.endswith(TORN) or (is_last and not rest and not content.endswith(b"\n")):
            yield number, None, CUT_OFF
        elif len(line) < 2:
            yield number, None, EMPTY
        elif event := mended(line):
            yield number, event, FLIPPED
        elif rest and (event := mended(line + b"\n" + rest[0])):  # the bit made a line end
            yield number, event, FLIPPED
            rest, number = rest[1:], number + 1
        else:
            yield number, None, LOST
        lines, number = rest, number + 1


def mended(line: bytes) -> dict | None:
    """The event of a line in which one bit is flipped; the checksum says which, as CRCs are linear."""
    for bit in range(8 * min(len(line), LONGEST_HEAD)):
        if event := decode(_flipped(line, bit)):
            return event
    head = HEAD.match(line)
    if not head or int(head[2]) != len(line) - head.end():
        return None
    difference = binascii.crc32(line[head.end() :]) ^ int(head[1], 16)
    differences = [binascii.crc32(bytes([1 << bit])) ^ ZERO for bit in range(8)]  # that bits of the last byte make
    for at in reversed(range(head.end(), len(line))):
        if difference in differences:
            return decode(_flipped(line, 8 * at + differences.index(difference)))
        differences = [binascii.crc32(b"\0", one) ^ ZERO for one in differences]
    return None


def _flipped(line, bit):
    changed = bytearray(line)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


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
        last = self.path.read_bytes().rpartition(b"\n")[2]
        if last:
            self._write(b"\n" if decode(last) else TORN + b"\n")  # so that it spoils no other
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

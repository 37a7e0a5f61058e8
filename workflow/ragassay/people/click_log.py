"""The log of clicks: one checksummed line per event, on disk before the page reports it as stored. It is only ever
appended to, by one process at a time; an undo is an event, too. Reading it names each line that is not as it was
written: one with a single flipped bit is read as it was, one that a kill cut off was never acknowledged, any other
costs its own click."""

import fcntl
import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from ragassay.base.atomic import sync_folder
from ragassay.base.errors import AssayError
from ragassay.calls.ledger.journal import decode, encode

HEAD = re.compile(rb"[0-9a-f]{8} (\d{1,5}) (?={)")  # what a line begins with, and no text within an event can look like
TORN = b" torn"  # ends a line that a kill cut off
FLIPPED = "one bit is flipped; its click is read as it was"
CUT_OFF = "cut off as by a kill while it was written, so that its click was never confirmed; otherwise give it again"
LOST = (
    "damaged: what was clicked there is lost: a label has to be given again, and one taken back there counts again;"
    " a copy of the file would bring it back"
)
LONGEST_HEAD, ONES = 18, 0xFFFFFFFF  # bytes; what a CRC-32 is inverted with at both ends
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
    for number, whole, problem in _lines(content):
        events += whole
        if problem:
            log.warning("%s line %d: %s", path, number, problem)
            damaged += problem == LOST
    return events, damaged


def _lines(content: bytes) -> Iterator[tuple[int, list[dict], str]]:
    """(number, events, problem) of each line: more than one event where the end between two of them is damaged."""
    lines = content.removesuffix(b"\n").split(b"\n") if content else []
    numbered = enumerate(lines, 1)
    for number, marked in numbered:
        line = marked.removesuffix(TORN)
        ends = [(head.start(), head.end() + int(head[1])) for head in HEAD.finditer(line)]
        whole = [event for start, end in ends if (event := decode(line[start:end]))]
        if whole:
            rest = len(line) - sum(len(encode(event)) - 1 for event in whole)
            yield number, whole, (LOST if rest > 1 else FLIPPED if rest else "")
        elif line != marked:
            yield number, [], CUT_OFF
        elif event := _mended(line):
            yield number, [event], FLIPPED
        elif number < len(lines) and (event := _mended(line + b"\n" + lines[number])):  # the bit made a line end
            yield number, [event], FLIPPED
            next(numbered)
        else:
            yield number, [], LOST if number < len(lines) or content.endswith(b"\n") else CUT_OFF


def _mended(line):
    """The event of a line in which one bit is flipped."""
    head, bits = HEAD.match(line), [*range(8 * min(len(line), LONGEST_HEAD))]
    if head and head.end() + int(head[1]) == len(line):  # otherwise the bit is in the head
        bits += _flipped(line, head.end())
    for bit in bits:
        changed = bytearray(line)
        changed[bit // 8] ^= 1 << bit % 8
        if event := decode(bytes(changed)):
            return event
    return None


def _flipped(line, start):
    """The bit of the text from `start` on that explains the checksum, if one does: by how much a flipped bit changes a
    CRC-32 depends on nothing but its place and how many bytes follow.
    """
    change = int(line[:8], 16) ^ crc32(line[start:])
    changes = {crc32(bytes([1 << bit])) ^ crc32(b"\0"): bit for bit in range(8)}  # of the last byte
    for at in reversed(range(start, len(line))):
        if change in changes:
            return [8 * at + changes[change]]
        changes = {crc32(b"\0", other ^ ONES) ^ ONES: bit for other, bit in changes.items()}  # of the byte before
    return []


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
        sync_folder(self.path.parent)

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

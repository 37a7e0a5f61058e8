"""A file that one process alone appends to: checksummed lines, forced to the disk every 100 ms. After the first error
it refuses to write: a line after a torn one would be lost with it. So a caller that records each request first stops
asking at that moment."""

import binascii
import contextlib
import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ragassay.base.atomic import HOST, sync_folder
from ragassay.base.errors import AssayError
from ragassay.calls.ledger import sharing

SYNC_SECONDS = 0.1
plain = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
# What `plain.encode` would make for each record again, at as much time as it then takes.
written_out = json.encoder.c_make_encoder(
    None, plain.default, json.encoder.encode_basestring_ascii, None, ":", ",", True, False, True
)
read_in = json.JSONDecoder().raw_decode


class LedgerError(AssayError):
    """The ledger cannot be written; nothing more may be asked."""


def encode(record: dict) -> bytes:
    text = "".join(written_out(record, 0)).encode()
    return b"%08x %d %b\n" % (binascii.crc32(text), len(text), text)


def decode(line: bytes) -> dict | None:
    """The record of a line without its line end, or None if it is not exactly what was written."""
    checksum, _, rest = line.partition(b" ")
    length, _, text = rest.partition(b" ")
    if length != b"%d" % len(text) or checksum != b"%08x" % binascii.crc32(text):
        return None
    try:
        return read_in(text.decode())[0]
    except (ValueError, RecursionError):
        return None


def check_form(record: dict, forms: dict[str, dict[str, type | tuple]], kind: str) -> None:
    """Raises one of MISSHAPEN unless a record has what one of its kind needs, each part of its type: a checksum says
    that it is what somebody wrote, not that it is one of ours.
    """
    for name, types in forms[record[kind]].items():
        if not isinstance(record[name], types):
            raise TypeError(f"found {name} {type(record[name]).__name__}")


def records(path) -> Iterator[tuple[int, int, dict | None]]:
    """(offset, length, record) of each line of a file; None in place of a record that is not as it was written."""
    offset = 0
    with Path(path).open("rb") as lines:
        for line in lines:
            yield offset, len(line) - 1, decode(line[:-1]) if line.endswith(b"\n") else None
            offset += len(line)


class Journal:
    def __init__(self, folder: Path, on_error: Callable[[LedgerError], object]):
        name = f"{time.time_ns()}-{HOST}-{os.getpid()}-{secrets.token_hex(4)}.jsonl"
        self.path, self.size, self.error, self.on_error = folder / name, 0, None, on_error
        with self._explained():
            sharing.make_folder(folder)
            self.file = sharing.open_file(self.path, os.O_WRONLY | os.O_EXCL | os.O_APPEND)
            sync_folder(folder)
        self.written, self.stopping = threading.Event(), threading.Event()
        self.syncing = threading.Thread(target=self._sync, daemon=True)
        self.syncing.start()

    def write(self, record: dict) -> tuple[int, int]:
        """Where the record's line starts, and its length."""
        if self.error:
            raise self.error
        line, offset, at = encode(record), self.size, 0
        try:
            while at < len(line):
                at += os.write(self.file, line[at:] if at else line)
        except OSError as error:
            raise self._explain(error) from error
        self.size += len(line)
        if not self.written.is_set():
            self.written.set()
        return offset, len(line)

    def close(self) -> None:
        """Force the rest to the disk; raises the first error since the last write."""
        self.stopping.set()
        self.written.set()
        self.syncing.join()
        for last in (os.fsync, os.close):  # a network file system may say only now that its disk is full
            with contextlib.suppress(LedgerError), self._explained():
                last(self.file)
        if self.error:
            raise self.error

    def _sync(self):
        while not self.stopping.is_set():
            self.written.wait()
            self.written.clear()
            try:
                with self._explained():
                    os.fsync(self.file)
            except LedgerError as error:
                self.on_error(error)
                return
            self.stopping.wait(SYNC_SECONDS)

    @contextlib.contextmanager
    def _explained(self):
        try:
            yield
        except OSError as error:
            raise self._explain(error) from error

    def _explain(self, error):
        remedy = "nothing more is asked; put it right and run again, what is in the ledger is kept"
        self.error = self.error or LedgerError(f"ledger {self.path}: {sharing.problem(self.path, error)}; {remedy}")
        return self.error

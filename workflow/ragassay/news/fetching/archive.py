"""The answers to a crawl, stored at once, so that a killed crawl continues where it stopped. Each process appends to
two files of its own: answers as checksummed lines, and their bodies, written first. For one address the last answer
counts. Other shards serve as a cache: what they know can be asked for as "unless it has changed"."""

import contextlib
import datetime
import hashlib
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragassay.calls.ledger.journal import Journal, LedgerError, decode
from ragassay.news.fetching.fetcher import Fetched

# What may be otherwise the next time, and what is so by our own settings or code, which may be others by now.
PASSING = {"timeout", "connection", "dns", "put_off", "wrong_length", "bad_response", "robots_unavailable"}
OURS = {"opted_out", "no_contact", "refused_address", "crash"}
CHECKS = {"etag", "last-modified"}
LEVEL = 6  # of compression


@dataclass(frozen=True, slots=True)
class Kept:
    """One answer; its body lies in a file, packed."""

    url: str
    final_url: str
    status: int
    headers: dict
    outcome: str
    detail: str
    fetched_at: datetime.datetime
    file: Path
    at: int = 0
    size: int = 0
    digest: str = ""  # SHA-256 of the body as it is read

    @property
    def passing(self) -> bool:
        """Whether asking again may help."""
        return self.outcome in PASSING or self.status in (408, 425, 429) or self.status >= 500

    @property
    def usable(self) -> bool:
        """Whether it holds for a crawl that begins now."""
        return not self.passing and self.outcome not in OURS and (self.outcome != "ok" or self.body() is not None)

    def packed(self) -> bytes:
        with self.file.open("rb") as bodies:
            bodies.seek(self.at)
            return bodies.read(self.size)

    def body(self) -> bytes | None:
        """None if it did not survive, as when the machine went down."""
        try:
            body = zlib.decompress(self.packed())
        except (zlib.error, OSError):
            return None
        return body if hashlib.sha256(body).hexdigest() == self.digest else None


class Answers:
    """All answers below one shard's folder, as `own`, and those of the other shards beside it.

    Use it as a context manager; nothing is written before the first answer.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.own = {kept.url: kept for path in self._journals() if self._is_own(path) for kept in _read(path)}
        self.journal, self.error = None, None
        self.bodies, self.size = None, 0  # an open file and how much was written there

    def _journals(self) -> list[Path]:
        return sorted(self.folder.parent.glob("*/*.jsonl"), key=lambda path: path.name)

    def _is_own(self, path):
        return path.parent.name == self.folder.name

    def known(self, urls: set[str]) -> dict[str, Kept]:
        """What other shards know of these addresses and can be asked for again."""
        others = (path for path in self._journals() if not self._is_own(path))
        answers = (kept for path in others for kept in _read(path))
        return {
            kept.url: kept
            for kept in answers
            if kept.url in urls and kept.outcome == "ok" and kept.headers.keys() & CHECKS
        }

    def keep(self, answer: Fetched, earlier: Kept | None = None, packed: bytes | None = None) -> Kept:
        """Write an answer down; one that says "not modified" gets the body of what was known. `packed` is the body as
        it is stored, if it is already packed.
        """
        outcome, status, headers, digest = answer.outcome, answer.status, answer.headers, ""
        if outcome == "not_modified":
            outcome, status, headers = earlier.outcome, earlier.status, earlier.headers | headers
            packed, digest = earlier.packed(), earlier.digest
        elif outcome == "ok":
            packed = packed_body(answer.body) if packed is None else packed
            digest = hashlib.sha256(answer.body).hexdigest()
        else:
            packed = b""
        with self._explained():
            if self.journal is None:
                self.journal = Journal(self.folder, lambda error: None)  # which then refuses the next answer
                path = self.journal.path.with_suffix(".bodies")
                self.bodies = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
            at = self.size
            while packed:
                written = os.write(self.bodies, packed)
                packed, self.size = packed[written:], self.size + written
        record = {
            "url": answer.url,
            "final_url": answer.final_url,
            "status": status,
            "headers": headers,
            "outcome": outcome,
            "detail": answer.detail,
            "fetched_at": answer.fetched_at.isoformat(timespec="milliseconds"),
            "at": at,
            "size": self.size - at,
            "digest": digest,
        }
        self.journal.write(record)
        kept = _kept(record, self.journal.path)
        self.own[kept.url] = kept
        return kept

    @contextlib.contextmanager
    def _explained(self):
        """After the first error nothing more is written: a disk that failed once cannot be trusted."""
        if self.error:
            raise self.error
        try:
            yield
        except OSError as error:
            remedy = "nothing more is asked; put it right and run again, what was answered is kept"
            self.error = LedgerError(f"ledger {self.folder}: {error.strerror}; {remedy}")
            raise self.error from error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.bodies is not None:
            with contextlib.suppress(OSError):  # a body that is lost is asked for again
                os.fsync(self.bodies)
            os.close(self.bodies)
        if self.journal:
            self.journal.close()


def _read(path) -> Iterator[Kept]:
    with path.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n") and (record := decode(line[:-1])):
                yield _kept(record, path)


def _kept(record, path):
    fetched_at = datetime.datetime.fromisoformat(record["fetched_at"])
    return Kept(**record | {"fetched_at": fetched_at, "file": path.with_suffix(".bodies")})


def packed_body(body: bytes) -> bytes:
    """What is stored of the body of a page, also in the column body of the table pages."""
    return zlib.compress(body, LEVEL)


def body_of(row: dict) -> bytes:
    """The bytes of the page in a row of the table pages."""
    return zlib.decompress(row["body"])

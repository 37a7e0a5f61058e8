"""What a crawl was answered, kept the moment it came, so that a killed crawl goes on where it was.

Each process appends to two files of its own below the shard's folder: answers as checksummed lines, and the bytes of
their bodies beside them, written first and checked by their hash when they are read. Whoever comes later reads all of
them: of one address the last answer counts. The folders of other shards serve as a cache: what they know of an address
can be asked for as "unless it has changed".
"""

import datetime
import hashlib
import os
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from ragassay.llm.journal import Journal, decode
from ragassay.news.fetcher import Fetched

PASSING = {"timeout", "connection", "dns", "put_off", "wrong_length", "bad_response"}  # may be otherwise the next time


@dataclass(frozen=True)
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


@dataclass
class Answers:
    """All that is kept below one shard's folder, and of other shards beside it what can be asked for again."""

    folder: Path
    own: dict[str, Kept] = field(default_factory=dict)
    others: dict[str, Kept] = field(default_factory=dict)
    journal: Journal | None = None
    bodies: int | None = None  # an open file
    size: int = 0

    def __post_init__(self):
        self.folder = Path(self.folder)
        for path in sorted(self.folder.parent.glob("*/*.jsonl"), key=lambda path: path.name):
            mine = path.parent.name == self.folder.name
            for kept in _read(path):
                if mine:
                    self.own[kept.url] = kept
                elif kept.outcome == "ok" and kept.headers.keys() & {"etag", "last-modified"}:
                    self.others[kept.url] = kept

    def keep(self, answer: Fetched, known: Kept | None = None) -> Kept:
        """Write an answer down; one that says "not modified" gets the body of what was known."""
        body, outcome, status = answer.body, answer.outcome, answer.status
        headers = answer.headers
        if outcome == "not_modified":
            body, outcome, status, headers = known.body(), "ok", known.status, known.headers | headers
        if self.journal is None:
            self.journal = Journal(self.folder, lambda error: None)
            bodies = self.journal.path.with_suffix(".bodies")
            self.bodies = os.open(bodies, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        packed = zlib.compress(body, 6) if outcome == "ok" else b""
        at, self.size = self.size, self.size + len(packed)
        while packed:
            packed = packed[os.write(self.bodies, packed) :]
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
            "digest": hashlib.sha256(body).hexdigest() if outcome == "ok" else "",
        }
        self.journal.write(record)
        kept = _kept(record, self.journal.path)
        self.own[kept.url] = kept
        return kept

    def close(self) -> None:
        if self.journal:
            os.fsync(self.bodies)
            os.close(self.bodies)
            self.journal.close()


def _read(path):
    with path.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n") and (record := decode(line[:-1])):
                yield _kept(record, path)


def _kept(record, path):
    fetched_at = datetime.datetime.fromisoformat(record["fetched_at"])
    return Kept(**record | {"fetched_at": fetched_at, "file": path.with_suffix(".bodies")})

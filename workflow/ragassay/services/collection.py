"""Collections of texts in vector databases. A connector is one file in `ragassay.services.connectors` with a class
`Connector`: it reads a collection in the order of its keys, some rows at a time, from any place on. Whatever goes wrong
in its client becomes one line. Keys of users come from the environment alone.
"""

import contextlib
import json
import os
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ragassay.base import variants
from ragassay.base.errors import AssayError, unknown
from ragassay.base.stage import log
from ragassay.base.terminal import remember, shown
from ragassay.documents.sources import Record

KINDS = "ragassay.services.connectors"
KEY = "(key)"  # in the place of a column
PAGE = 1_000  # rows that are held at a time
NAMESPACE = uuid.UUID("5c0a4b1e-7f0b-4d52-9d0e-2f6b8a0c9d11")  # of keys that are made here
SECONDS = 30  # that a database may take for an answer


class CollectionError(AssayError):
    """A collection cannot be read or written."""


class Row(NamedTuple):
    key: int | str  # the database's
    fields: dict[str, Any]


class TextCollection(ABC):
    """`name` and `entry` are those of the configuration. Reading writes nothing."""

    ERRORS: tuple[type[Exception], ...] = ()  # of the client

    def __init__(self, name: str, entry: dict[str, Any], writes: bool = False):
        self.entry, self.writes, self.place = entry, writes, f"collections.{name}"
        variable = entry["key_variable"]
        self.secret = os.environ.get(variable, "") if variable else ""
        remember(self.secret)
        with self.asking():
            self.connect()
        with contextlib.ExitStack() as opening:
            opening.callback(self.close)
            with self.asking():
                names = self.names()
            if entry["collection"] not in names:
                raise CollectionError(f"{self.place}.collection: {unknown('collection', entry['collection'], names)}")
            opening.pop_all()

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Around whatever a client does."""
        try:
            yield
        except self.ERRORS as error:
            reason = shown(" ".join(str(error).split()))
            raise CollectionError(
                f"{self.place}: {self.entry['kind']} at {self.entry['address']} refuses, with {reason}; check its"
                " address, its name and its key"
            ) from error

    @abstractmethod
    def connect(self) -> None:
        """Open the database; one that is missing is not made."""

    @abstractmethod
    def names(self) -> list[str]:
        """The collections that there are."""

    @abstractmethod
    def pages(self, fields: list[str], cursor: Any = None, size: int = PAGE) -> Iterator[tuple[list[Row], Any]]:
        """Rows with these fields in the order of their keys, and where to read on. The cursor, which JSON can hold, is
        None at the end.
        """

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def keys(self, ids: list[str]) -> list[int | str]:
        """A key of the database's kind for each id; the same id always has the same."""

    @abstractmethod
    def present(self, keys: list[int | str]) -> set[int | str]:
        """Those of the keys that the collection has."""

    @abstractmethod
    def put(self, keys: list[int | str], vectors: list[list[float]], fields: list[dict[str, Any]]) -> None:
        """Add rows under new keys."""

    @abstractmethod
    def remove(self, keys: list[int | str]) -> None:
        """Remove these rows; those that are missing are no error."""

    def refuse(self, problem: str, expected: str) -> CollectionError:
        return CollectionError(f"{self.place}: found {problem}, expected {expected}")


def opened(name: str, entry: dict[str, Any], writes: bool = False) -> contextlib.closing:
    """A collection of the configuration, for a `with` block."""
    connector = variants.load(KINDS, entry["kind"], f"collections.{name}.kind").Connector
    return contextlib.closing(connector(name, entry, writes))


def whole_number(name: str, bits: int) -> int:
    """A positive number for an id."""
    return uuid.uuid5(NAMESPACE, name).int % (2 ** (bits - 1) - 1) + 1


def identifier(name: str) -> str:
    """A UUID for an id."""
    return str(uuid.uuid5(NAMESPACE, name))


def records(collection: TextCollection, columns: dict[str, str], file: Path) -> Iterator[Record]:
    """All rows with what stands in `columns`, each a field or a path such as `metadata.source`; `KEY` is their key.
    What was read lies in `file`, page by page, so that a reading that was killed goes on where it was.
    """
    paths = {path.strip() for path in columns.values()} - {"", KEY}
    for page in _pages(collection, sorted(paths), file):
        for key, fields in page:
            present = {path.lower(): field for path, field in fields.items() if field is not None}
            record = Record(collection.place, key, present | {KEY: key})
            if isinstance(text := fields.get(columns["text"].strip()), list | dict):
                record.reason = "bad_text"
                record.detail = f"found {type(text).__name__} in {columns['text']!r}, expected a text"
            yield record


def _pages(collection, paths, file):
    file.parent.mkdir(parents=True, exist_ok=True)
    tops = list(dict.fromkeys(path.split(".")[0] for path in paths))
    with file.open("a+b") as stored:
        cursor, ended, whole = None, False, 0
        stored.seek(0)
        for line in stored:
            if not line.endswith(b"\n"):  # it was killed while it wrote
                break
            rows, cursor = json.loads(line)
            ended, whole = cursor is None, whole + len(line)
            yield rows
        if whole:
            log.info("%s: reads on from what lies in %s; delete that to begin anew", collection.place, file)
        stored.truncate(whole)
        for page, following in () if ended else collection.pages(tops, cursor):
            rows = [[row.key, {path: _at(row.fields, path) for path in paths}] for row in page]
            stored.write(json.dumps([rows, following], default=str).encode() + b"\n")
            stored.flush()
            os.fsync(stored.fileno())
            yield rows


def _at(fields, path):
    """What stands at a path; None if nothing does."""
    for name in path.split("."):
        fields = fields.get(name) if isinstance(fields, dict) else None
    return fields

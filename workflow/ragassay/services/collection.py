"""Collections of texts in vector databases. A connector is one file in `ragassay.services.connectors` with a class
`Connector`: it reads a collection in the order of its keys, some rows at a time, from any place on. Whatever goes wrong
in its client becomes one line. Keys of users come from the environment alone.
"""

import contextlib
import functools
import inspect
import json
import os
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import variants
from ragassay.base.errors import MISSHAPEN, AssayError, Unusable, unknown
from ragassay.base.stage import log
from ragassay.base.terminal import remember, shown
from ragassay.documents.documents import clean

KINDS = "ragassay.services.connectors"
KEY = "(key)"  # in the place of a column
PAGE = 1_000  # rows that are held at a time
NAMESPACE = uuid.UUID("5c0a4b1e-7f0b-4d52-9d0e-2f6b8a0c9d11")  # of keys that are made here
SECONDS = 30  # that a database may take for an answer


class CollectionError(AssayError):
    """A collection cannot be read or written."""


class Page(NamedTuple):
    """Some rows, and where to read on; that is None at the end, and JSON can hold it."""

    keys: list[int | str]  # the database's
    fields: dict[str, list]  # name -> its value in each row
    following: Any


class VectorField(NamedTuple):
    """Where a collection has the vector of a row."""

    name: str  # empty where it has none
    width: int | None  # how many numbers; None where rows may differ
    similarities: tuple[str, ...]  # by which its indexes compare, as retrievers call it, or as the database does


class TextCollection(ABC):
    """`name` and `entry` are those of the configuration. Reading writes nothing."""

    ERRORS: tuple[type[Exception], ...] = ()  # of the client

    def __init__(self, name: str, entry: dict[str, Any], writes: bool = False):
        self.entry, self.writes, self.place = entry, writes, f"collections.{name}"
        variable = entry["key_variable"]
        self.secret = os.environ.get(variable, "") if variable else ""
        remember(self.secret)
        self.connect()
        with contextlib.ExitStack() as opening:
            opening.callback(self.close)
            names = self.names()
            if entry["collection"] not in names:
                raise CollectionError(f"{self.place}.collection: {unknown('collection', entry['collection'], names)}")
            opening.pop_all()

    def __init_subclass__(cls):
        for name in TextCollection.__abstractmethods__ - {"close"}:
            setattr(cls, name, _asking(getattr(cls, name)))

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Stands around whatever a connector does."""
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
    def pages(self, fields: list[str], cursor: Any = None, size: int = PAGE) -> Iterator[Page]:
        """Rows with these fields in the order of their keys, so many at a time."""

    @abstractmethod
    def vector_field(self) -> VectorField:
        """The one field of vectors; a collection with none or with several is refused."""

    @abstractmethod
    def nearest(
        self, vector: list[float], field: VectorField, similarity: str, count: int, fields: list[str], options: dict
    ) -> tuple[Page, list[float]]:
        """The rows that the database's index finds nearest to a vector, best first, and how similar it says they are.
        `options` are parameters of its search, by the database's names.
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


def _asking(method):
    @functools.wraps(method)
    def asked(collection, *given, **more):
        with collection.asking():
            return method(collection, *given, **more)

    @functools.wraps(method)
    def asked_by_page(collection, *given, **more):
        with collection.asking():
            yield from method(collection, *given, **more)

    return asked_by_page if inspect.isgeneratorfunction(method) else asked


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


def texts(collection: TextCollection, columns: dict[str, str], file: Path) -> Iterator[pa.Table]:
    """All rows, some at a time, with columns of texts by our names: `columns` says which field each is, or which path
    such as `metadata.source`; `KEY` is a row's key. A value that is missing or empty is null. What was read lies in
    `file`, page by page, so that a reading that was killed goes on where it was.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    paths = {name: path.strip() for name, path in columns.items()} | {"key": KEY}
    fields = sorted({path.split(".")[0] for path in paths.values()} - {"", KEY})
    with file.open("a+b") as stored:
        cursor, whole = None, 0
        stored.seek(0)
        for rows, cursor in _stored(stored):  # noqa: B007  the last one is where to read on
            whole = stored.tell()
            yield rows
        if whole:
            log.info("%s: reads on from what lies in %s; delete that to begin anew", collection.place, file)
        stored.truncate(whole)
        for page in () if whole and cursor is None else collection.pages(fields, cursor, PAGE):
            rows = pa.table(
                {name: column(collection, page, path, name == "text") for name, path in paths.items()}
            ).replace_schema_metadata({"cursor": json.dumps(page.following)})
            with pa.BufferOutputStream() as sink:
                with pa.ipc.new_stream(sink, rows.schema) as stream:
                    stream.write_table(rows)
                written = sink.getvalue()
            stored.write(len(written).to_bytes(8))
            stored.write(written)
            stored.flush()  # a killed process loses none of it; if the machine stops, what is damaged is read again
            yield rows


def _stored(file):
    """The pages up to the first that is not whole, each with where to read on."""
    end = os.fstat(file.fileno()).st_size
    while len(size := file.read(8)) == 8 and int.from_bytes(size) <= end - file.tell():
        try:
            rows = pa.ipc.open_stream(file.read(int.from_bytes(size))).read_all()
            rows.validate(full=True)
            cursor = json.loads(rows.schema.metadata[b"cursor"])
        except (pa.ArrowException, OSError, *MISSHAPEN):
            return
        yield rows, cursor


def column(collection, page, path, is_text):
    """What stands at a path in each row, as a clean text; only what is no plain line of ASCII is looked at alone."""
    if not path:
        return pa.nulls(len(page.keys), pa.string())
    top, *inner = [path] if path == KEY else path.split(".")
    values = [*map(str, page.keys)] if path == KEY else page.fields[top]
    for name in inner:
        values = [value.get(name) if isinstance(value, dict) else None for value in values]
    try:
        texts = pa.array(values, pa.string())
        odd = pc.fill_null(pc.invert(pc.ascii_is_printable(texts)), False)
    except (pa.ArrowException, UnicodeError):  # not only texts, or half of a surrogate pair
        texts, odd = pa.nulls(len(values), pa.string()), pa.repeat(True, len(values))
    cleaned = []
    for at in pc.indices_nonzero(odd).to_pylist():
        try:
            if is_text and isinstance(values[at], list | dict):
                raise Unusable("bad_text", f"found {type(values[at]).__name__} in {path!r}, expected a text")
            cleaned.append(None if values[at] is None else clean(str(values[at])))
        except Unusable as error:
            raise CollectionError(f"{collection.place} row {page.keys[at]}: {error}") from error
    texts = pc.replace_with_mask(pc.ascii_trim_whitespace(texts), odd, pa.array(cleaned, pa.string()))
    return pc.if_else(pc.equal(texts, ""), None, texts)

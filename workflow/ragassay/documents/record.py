"""What every reader of files gives and needs: records, the columns that are read, and errors in the words of both."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ragassay.base.errors import AssayError, closest
from ragassay.text.characters import fit

FIELDS = ("id", "title", "url", "date", "topic", "text")
NOT_UTF8 = re.compile("[\udc80-\udcff]")  # what such bytes become under surrogateescape
MOST_NAMES = 10  # of columns, in an error
BEIR_ID = "_id"


class SourceError(AssayError):
    """A user's file cannot be read at all."""


class ColumnError(SourceError):
    """A table lacks a column that the configuration, or everybody, expects of it."""


class Columns(NamedTuple):
    """The columns that are read from a table where present, those that it must have, and the one that holds what a file
    with one text says.
    """

    known: tuple[str, ...]
    needed: tuple[str, ...]
    text: str = "text"

    @classmethod
    def of_documents(cls, names: dict[str, str]) -> "Columns":
        """Those of documents, which the files call by these names."""
        return cls(tuple(dict.fromkeys(names.values())), (names["text"],), names["text"])


DOCUMENTS = Columns(FIELDS, ("text",))


@dataclass
class Record:
    """One row of a file: its fields, or the reason why there are none."""

    file: str
    row: int
    fields: dict = field(default_factory=dict)
    reason: str = ""
    detail: str = ""
    is_file: bool = field(default=False, compare=False)  # whether the file holds this one text
    title: str = field(default="", compare=False)  # what such a file calls itself, or its name
    source_id: str = field(default="", compare=False)  # its path below the folder; in tables with the row

    @property
    def place(self) -> str:
        return f"{self.file} row {self.row}"

    def named(self, names: dict[str, str]) -> dict:
        """The fields by the reader's names, of which `names` says how the files call them."""
        return {field: self.fields[name] for field, name in names.items() if name in self.fields}


def name_below(file: str, below: Iterable) -> str:
    """Where a file stands in the folder, or file, of `below` that holds it."""
    path = Path(file)
    folder = next((Path(name) for name in below if path.is_relative_to(name)), None)
    name = path.as_posix() if folder is None else path.name if folder == path else path.relative_to(folder).as_posix()
    return fit(name).replace("\n", " ")


def decoded(content: bytes) -> tuple[str | None, str | None]:
    """The text with plain line ends, or what is wrong with it."""
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n"), None
    except UnicodeDecodeError as error:
        problem = f"found byte 0x{content[error.start]:02x} at position {error.start}, which is not UTF-8"
        return None, f"{problem}; save the file as UTF-8"


def fields_of(row: dict, columns: Columns) -> dict:
    """The values of the columns that are read. Names are lower case; BEIR's for ids is one of ours."""
    lowered = {str(name).strip().lower(): value for name, value in row.items()}
    if BEIR_ID in lowered:
        lowered.setdefault("id", lowered[BEIR_ID])
    values = {name: lowered.get(name) for name in columns.known}
    return {name: value for name, value in values.items() if value is not None and value == value}  # NaN is missing


def check_columns(file, names: list[str], columns: Columns) -> None:
    """Refuse a table without a column that it must have, or with one twice."""
    if not any(names):
        raise ColumnError(
            f"{file}: found no column, expected a first line with their names: {', '.join(columns.needed)}"
        )
    remedy = "say in the configuration which column it is, or rename that"
    for name in columns.needed:
        if name not in names:
            likely = closest(name, [other for other in names[:100] if other.isprintable()])
            raise ColumnError(f"{file}: no column {name!r} among {_listed(names)}{likely}; {remedy}")
    twice = [name for name in columns.known if names.count(name) > 1]
    if twice:
        raise ColumnError(f"{file}: more than one column {twice[0]!r}, expected one; rename the others")


def _listed(names):
    """Names as a terminal can show them: a file may hold commands to it, and names of any length."""
    plain = (NOT_UTF8.sub("?", name[:40]) for name in names[:MOST_NAMES])
    listed = ", ".join(name if name.isprintable() else repr(name)[1:-1] for name in plain)
    return (listed or "nothing") + (f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else "")

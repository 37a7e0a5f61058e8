"""What a table is: its name and rows, its columns and key, and the place of its files.

A `Table` is declared once, by a module of `ragassay/schemas`; `ragassay.base.tables` reads and writes its files.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow as pa

from ragassay.base.errors import AssayError

# Values go into a column in another width or unit of its kind, if none is lost; a time without a zone is in UTC.
KINDS = (
    (pa.types.is_integer, pa.types.is_floating),
    (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view),
    (pa.types.is_timestamp,),
)
STRINGS = pa.list_(pa.field("element", pa.string()))
NUMBERS = pa.list_(pa.field("element", pa.float64()))
TIME = pa.timestamp("ms", tz="UTC")
POISONED = "^poison-[0-9a-f]{16}"  # how ids of passages begin that an attack made


class TableError(AssayError):
    """A file is not the table that was expected, or rows do not fit their table."""


@dataclass(frozen=True)
class Column:
    """One column. If it holds texts, `text` says whose they are, on which a release depends:

    site            of the row's site, else of its shard
    document        of the document that the row names
    key             of the last key in the path of its file, such as a corpus or a set of queries
    service         of what a service retrieved; the responder in the path of its file names the service
    everybody       of several, which the row does not name
    ours            of models and people who worked for the study; they may repeat runs of others' texts
    poison          of an attacker who wants it to be read

    `refers` is the column of another table, `documents.doc_id`, in which each of its values stands.
    """

    name: str
    type: pa.DataType
    description: str
    null: bool = False
    text: str | None = None
    refers: str | None = None


@dataclass(frozen=True)
class Table:
    """One table: its name, what a row is, its columns, and the columns that identify a row and give the order.

    `path` is the place of its files below `results/`, without `.parquet` and with its keys in braces, such as
    `claims/{generator}/{shard}`; None if rules put them in several places. `clean` is a column of passages, of which
    the table refuses those that an attack made. `release` says what becomes of it in a release; a
    table must have it unless its columns say whose texts they hold:

    whole           it holds no texts
    poisoned        it goes along only with export.poisoned
    vectors         it goes along only with release.vectors
    never           people gave it, or others own it
    """

    name: str
    row: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    group: int | None = None  # rows that are held at a time, in memory and in the file, if rows are large
    path: str | None = None
    clean: str | None = None
    release: str | None = None

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([pa.field(c.name, c.type, nullable=c.null) for c in self.columns])


REJECTS = Table(
    "rejects",
    "One row per item that a stage could not use; rows in = rows out + rejects, in every stage.",
    key=("shard", "item"),
    columns=(
        Column("stage", pa.string(), "the rule that rejected the item"),
        Column("shard", pa.string(), "the shard the item belongs to"),
        Column("item", pa.string(), "the item: an id, or file and row of something that never got one"),
        Column("reason", pa.string(), "one word or two from a fixed list, for counting"),
        Column("detail", pa.string(), "what was found and what was expected, for a person"),
    ),
    release="whole",
)


def key_names(table: Table) -> list[str]:
    """The names of the keys in the path of the table's files, in its order."""
    return re.findall(r"{(\w+)}", table.path or "")


def keys(table: Table, path) -> dict[str, str]:
    """The values of the keys in the path of one of the table's files, in the order of the path."""
    match = table.path and _form_of_path(table.path).fullmatch(Path(path).as_posix().replace("\\", "/"))
    if not match:
        expected = f"expected .../{table.path}.parquet" if table.path else "which has no path of its own"
        raise TableError(f"{path}: no path of table {table.name}, {expected}; give the file of that table")
    return match.groupdict()


@cache
def _form_of_path(path):
    """A key is what stands between two separators, or next to other letters of a name, where it may be empty."""
    text = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]*)", re.escape(path))
    return re.compile(rf"(?:.*/)?{text}\.parquet")


def fits(given, wanted):
    if pa.types.is_dictionary(given):
        return fits(given.value_type, wanted)
    if _is_list(given) and _is_list(wanted):
        return fits(given.value_type, wanted.value_type)
    alike = (any(is_kind(given) for is_kind in kind) and any(is_kind(wanted) for is_kind in kind) for kind in KINDS)
    return given == wanted or pa.types.is_null(given) or any(alike)


def _is_list(type_):
    return pa.types.is_list(type_) or pa.types.is_large_list(type_) or pa.types.is_fixed_size_list(type_)


def difference(found, wanted):
    found = list(found)
    missing, extra = sorted(set(wanted) - set(found)), sorted(set(found) - set(wanted))
    twice = sorted({name for name in found if found.count(name) > 1} & set(wanted))
    parts = zip(("missing", "unknown", "repeated"), (missing, extra, twice), strict=True)
    return " and ".join(f"{what} column {', '.join(names)}" for what, names in parts if names)

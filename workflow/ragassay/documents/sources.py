"""Read tables as people have them: Parquet, CSV, JSON lines, or text files with an optional YAML header.

Of documents only a text is required; id, title, url, date and topic are taken where present. Other tables say which
columns they have. A file that cannot be read at all is an error; a row that cannot be used comes back with its problem,
so that the caller can reject it by file and row. Does not judge the texts: see `ragassay.documents.documents`.
"""

import csv
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from ragassay.base import plain_yaml
from ragassay.base.errors import AssayError, closest
from ragassay.base.stage import log
from ragassay.base.terminal import shown

FIELDS = ("id", "title", "url", "date", "topic", "text")
HEADER = re.compile(r"---[ \t]*\n((?:.*\n)*?)---[ \t]*(?:\n|\Z)")
NOT_UTF8 = re.compile("[\udc80-\udcff]")  # what such bytes become under surrogateescape
UTF16 = re.compile(rb"\xff\xfe|\xfe\xff|\0[^\0]|[^\0]\0")  # at the beginning of a file
MOST_NAMES = 10  # of columns, in an error


class SourceError(AssayError):
    """A user's file cannot be read at all."""


class Columns(NamedTuple):
    """The columns that are read from a table where present, and those that it must have."""

    known: tuple[str, ...]
    needed: tuple[str, ...]


DOCUMENTS = Columns(FIELDS, ("text",))


@dataclass
class Record:
    """One row of a file: its fields, or the reason why there are none."""

    file: str
    row: int
    fields: dict = field(default_factory=dict)
    reason: str = ""
    detail: str = ""


def document_files(path) -> list[str]:
    """The file itself, or all files below a folder, sorted. Hidden files are skipped, unknown kinds are an error."""
    path = Path(path)
    if path.is_file():
        files = [path]
    else:
        files = [file for file in path.rglob("*") if file.is_symlink() or not file.is_dir()]
        files = [file for file in files if not any(part.startswith(".") for part in file.relative_to(path).parts)]
    if odd := [str(file) for file in files if not file.is_file()]:
        problem = "found a link to a folder or to nothing, expected files and folders of its own"
        raise SourceError(f"{min(odd)}: {problem}; copy it there")
    unknown = [str(file) for file in files if file.suffix.lower() not in READERS]
    if unknown:
        raise SourceError(f"{min(unknown)}: unknown kind of file, expected one of {', '.join(READERS)}")
    if not files:
        raise SourceError(f"{path}: no documents in this folder, expected files of the kinds {', '.join(READERS)}")
    return sorted(map(str, files))


def records(files: list[str], columns: Columns = DOCUMENTS) -> Iterator[Record]:
    """All rows of all files, in order; names of columns are lower case."""
    for file in files:
        yield from READERS[Path(file).suffix.lower()](file, columns)


def _text(file, columns):
    content, problem = _decoded(Path(file).read_bytes())
    if problem:
        yield Record(file, 1, reason="encoding", detail=problem)
        return
    fields, text = {}, content
    if header := HEADER.match(content):
        text = content[header.end() :]
        try:
            fields = plain_yaml.load(header[1], plain_yaml.Texts) or {}
        except plain_yaml.YamlError as error:
            problem = f"line {error.line + 1}: the header is not plain YAML: {error}"
        if not isinstance(fields, dict):
            problem = f"the header holds {shown(fields)}, expected lines of the form 'title: ...'"
    if problem:
        yield Record(file, 1, reason="bad_header", detail=problem)
    else:
        yield Record(file, 1, _known(fields, columns) | {"text": text})


def _csv(file, columns, delimiter=","):
    csv.field_size_limit(sys.maxsize)
    with Path(file).open("rb") as content:
        if UTF16.match(content.read(2)):
            raise SourceError(f"{file}: found UTF-16, expected UTF-8; save the file as UTF-8")
    with Path(file).open(encoding="utf-8-sig", errors="surrogateescape", newline="") as lines:
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            header = [name.strip().lower() for name in next(rows, [])]
            _check_columns(file, header, columns)
            for number, cells in enumerate(filter(None, rows), 1):  # an empty line is no row
                if len(cells) != len(header):
                    detail = f"found {len(cells)} cells, expected {len(header)}, in line {rows.line_num}"
                    yield Record(file, number, reason="bad_row", detail=detail)
                elif any(map(NOT_UTF8.search, cells)):
                    detail = f"found bytes that are not UTF-8 in line {rows.line_num}; save the file as UTF-8"
                    yield Record(file, number, reason="encoding", detail=detail)
                else:
                    yield Record(file, number, _known(dict(zip(header, cells, strict=True)), columns))
        except csv.Error as error:
            problem = f"{error}; expected rows of {delimiter!r}-separated cells"
            raise SourceError(f"{file}:{rows.line_num}: {problem}") from error


def _tsv(file, columns):
    yield from _csv(file, columns, "\t")


def _jsonl(file, columns):
    with Path(file).open("rb") as lines:
        for number, line in enumerate(lines, 1):
            text, problem = _decoded(line)
            if problem:
                yield Record(file, number, reason="encoding", detail=problem)
            elif text.strip():
                try:
                    fields = json.loads(text)
                    problem = f"found {text.strip()!r:.40}, expected one JSON object a line"
                except (ValueError, RecursionError) as error:
                    fields, problem = None, f"not JSON: {error}"
                if isinstance(fields, dict):
                    yield Record(file, number, _known(fields, columns))
                else:
                    yield Record(file, number, reason="bad_row", detail=problem)


def _parquet(file, columns):
    try:
        with pq.ParquetFile(file) as parquet:
            names = [name.strip().lower() for name in parquet.schema_arrow.names]
            _check_columns(file, names, columns)
            pairs = zip(parquet.schema_arrow.names, names, strict=True)
            wanted = [name for name, lower in pairs if lower in columns.known]
            number = 0
            for batch in parquet.iter_batches(1024, columns=wanted):
                for row in _rows(batch.cast(_microseconds(batch.schema), safe=False)):
                    number += 1
                    if isinstance(row, dict):
                        yield Record(file, number, _known(row, columns))
                    else:
                        reason = "encoding" if isinstance(row, UnicodeError) else "bad_row"
                        yield Record(file, number, reason=reason, detail=f"found a value that cannot be read: {row}")
    except (pa.ArrowException, OSError) as error:
        raise SourceError(f"{file}: not a whole Parquet file ({str(error).strip().splitlines()[0]})") from error


def _microseconds(schema):
    """The same columns, but no time in nanoseconds, which Python cannot hold."""
    for at, column in enumerate(schema):
        if pa.types.is_timestamp(column.type) and column.type.unit == "ns":
            schema = schema.set(at, column.with_type(pa.timestamp("us", column.type.tz)))
    return schema


def _rows(batch):
    """The rows of a batch, with the error in the place of one that Python cannot hold: a time in the year 30000, bytes
    that are not UTF-8.
    """
    try:
        return batch.to_pylist()
    except (ValueError, OverflowError) as error:
        if len(batch) == 1:
            return [error]
        half = len(batch) // 2
        return _rows(batch.slice(0, half)) + _rows(batch.slice(half))


def warn_of_empty(places: list[str], column: str, kept: int) -> None:
    """Count the rows that a stage leaves out because they have no text; if it can keep no other, that is an error."""
    if places and not kept:
        raise SourceError(f"{places[0]}: found nothing in {column!r}, nor in any other row, expected texts")
    if places:
        log.warning(
            "%s: found nothing in %r; %d of %d rows have no text and are left out",
            places[0], column, len(places), len(places) + kept,
        )  # fmt: skip


READERS = {".parquet": _parquet, ".csv": _csv, ".tsv": _tsv, ".jsonl": _jsonl, ".txt": _text, ".md": _text}


def _decoded(content):
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n"), None
    except UnicodeDecodeError as error:
        problem = f"found byte 0x{content[error.start]:02x} at position {error.start}, which is not UTF-8"
        return None, f"{problem}; save the file as UTF-8"


def _check_columns(file, names, columns):
    if not any(names):
        raise SourceError(
            f"{file}: found no column, expected a first line with their names: {', '.join(columns.needed)}"
        )
    remedy = "say in the configuration which column it is, or rename that"
    if columns is DOCUMENTS:
        remedy = "rename the one that holds the documents"
    for name in columns.needed:
        if name not in names:
            likely = closest(name, [other for other in names[:100] if other.isprintable()])
            raise SourceError(f"{file}: no column {name!r} among {_listed(names)}{likely}; {remedy}")
    twice = [name for name in columns.known if names.count(name) > 1]
    if twice:
        raise SourceError(f"{file}: more than one column {twice[0]!r}, expected one; rename the others")


def _listed(names):
    """Names as a terminal can show them: a file may hold commands to it, and names of any length."""
    plain = (NOT_UTF8.sub("?", name[:40]) for name in names[:MOST_NAMES])
    listed = ", ".join(name if name.isprintable() else repr(name)[1:-1] for name in plain)
    return (listed or "nothing") + (f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else "")


def _known(fields, columns):
    lowered = {str(name).strip().lower(): value for name, value in fields.items()}
    values = {name: lowered.get(name) for name in columns.known}
    return {name: value for name, value in values.items() if value is not None and value == value}  # NaN is missing

"""Read files as people have them, for shards, question sets, corpora and queries alike: tables with a text a row, and
files or folders with a text each.

Of documents only a text is required; id, title, url, date and topic are taken where present. Other tables say which
columns they have. A row or a file that cannot be used comes back with its problem, so that the caller can reject it by
file and row. Does not judge the texts: see `ragassay.documents.documents`.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from ragassay.base.address import is_copy
from ragassay.base.errors import Unusable, one_item
from ragassay.base.stage import log
from ragassay.documents import table_files, text_files
from ragassay.documents.record import DOCUMENTS, ColumnError, Columns, Record, SourceError, name_below

READERS = {
    ".parquet": table_files.read_parquet,
    ".arrow": table_files.read_arrow,
    ".csv": table_files.read_csv,
    ".tsv": table_files.read_tsv,
    ".jsonl": table_files.read_jsonl,
    **dict.fromkeys(text_files.PLAIN, text_files.read_plain),
}
KINDS = (*READERS, *text_files.PARSED)
LONGEST_TEXT = 5_000_000  # characters of one text, a dozen thick books
UNKNOWN = "unknown_kind"  # why a file of a folder is rejected that holds no text, such as a picture
BEIR = ("corpus.jsonl", "queries.jsonl")  # what a folder of BEIR's holds
HUGGING_FACE = ("state.json", "dataset_info.json", "dataset_dict.json")  # beside the data of a saved data set


def document_files(path) -> list[str]:
    """The file itself, or all files below a folder, sorted; of a folder of BEIR's its corpus, of a saved data set its
    data. Hidden files are skipped. Files of other kinds are left to the reader, unless there are no others.
    What is fetched from an object store need not be there yet.
    """
    path = Path(path)
    if path.is_file() or is_copy(path):
        files = [str(path)]
    elif all((path / name).is_file() for name in BEIR):
        files = [str(path / BEIR[0])]
    else:
        files = sorted(_below(path))
    if odd := next((file for file in files if not (Path(file).is_file() or is_copy(file))), None):
        problem = "found a link to a folder or to nothing, expected files and folders of its own"
        raise SourceError(f"{odd}: {problem}; copy it there")
    if files and not any(file.lower().endswith(KINDS) for file in files):
        raise SourceError(f"{files[0]}: unknown kind of file, expected one of {', '.join(KINDS)}")
    if not files:
        raise SourceError(f"{path}: no documents in this folder, expected files of the kinds {', '.join(KINDS)}")
    text_files.check_parsers(files)
    return files


def _below(path):
    """Names, as text, since a plan asks for those of many thousand files."""
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        links = [name for name in folders if Path(folder, name).is_symlink()]
        seen = [name for name in (*names, *links) if not name.startswith(".")]
        yield from (f"{folder}/{name}".removeprefix("./") for name in seen if not _of_saved_data_set(folder, name))


def _of_saved_data_set(folder, name):
    """Whether it describes a data set that was saved here, or is what a program remembers of one."""
    remembered = name.endswith(".arrow") and name.startswith(("cache-", "tmp"))
    return name in HUGGING_FACE or (remembered and Path(folder, "state.json").is_file())


def records(
    files: list[str], columns: Columns = DOCUMENTS, below: Iterable = (), unopened: bool = False
) -> Iterator[Record]:
    """All rows of all files, in order; names of columns are lower case. `below` are the files or folders that the
    configuration names, for `source_id`. If `unopened`, files that need a parser are named and not read.
    """
    below, file, name = [*below], None, ""
    for record in _all(files, columns, unopened):
        if record.file != file:
            file, name = record.file, name_below(record.file, below)
        record.source_id = name if record.is_file else f"{name} row {record.row}"
        yield record


def _all(files, columns, unopened):
    for parsed, group in groupby(files, lambda file: Path(file).suffix.lower() in text_files.PARSED):
        if parsed and unopened:
            yield from (Record(file, 1, {columns.text: file}, is_file=True, title=file) for file in group)
        elif parsed:
            yield from text_files.read_parsed(list(group), columns)
        else:
            for file in group:
                yield from _of_file(file, columns, alone=len(files) == 1)


def _of_file(file, columns, alone):
    """A table that cannot be read is an error if it is all there is, else the record after its last one. A table
    without the columns that are looked for is always an error.
    """
    reader = READERS.get(Path(file).suffix.lower())
    if reader is None:
        expected = f"found a file of another kind, expected one of {', '.join(KINDS)}"
        yield Record(file, 1, reason=UNKNOWN, detail=expected, is_file=True)
        return
    row = 0
    try:
        try:
            with one_item():
                for record in reader(file, columns):
                    row = record.row
                    yield _of_bounded_size(record)
        except Unusable as why:
            problem = f"{file} row {row + 1}: {why}; nothing behind it was read"
            raise SourceError(f"{problem}; take it out and report a bug") from why
    except SourceError as error:
        if alone or isinstance(error, ColumnError):
            raise
        yield Record(file, row + 1, reason="unreadable", detail=str(error))


def _of_bounded_size(record):
    """The record, or its reject if one of its texts is too long."""
    size = max((len(part) for part in record.fields.values() if isinstance(part, str)), default=0)
    if size <= LONGEST_TEXT:
        return record
    detail = f"found a text of {size:,} characters, expected at most {LONGEST_TEXT:,}; cut it into several"
    return replace(record, fields={}, reason="too_large", detail=detail)


def warn_of_empty(places: list[str], column: str, kept: int) -> None:
    """Count the rows that a stage leaves out because they have no text; if it can keep no other, that is an error."""
    if places and not kept:
        raise SourceError(f"{places[0]}: found nothing in {column!r}, nor in any other row, expected texts")
    if places:
        log.warning(
            "%s: found nothing in %r; %d of %d rows have no text and are left out",
            places[0], column, len(places), len(places) + kept,
        )  # fmt: skip


def warn_of_unusable(refused: list[Record], kept: int) -> None:
    """Name each file with one text that cannot be read, with its reason; if no row and no file is left, that is an
    error.
    """
    for record in refused:
        log.warning("left out %s: %s: %s", record.file if record.is_file else record.place, *_why(record))
    if refused and not kept:
        raise SourceError(f"{refused[0].file}: {_why(refused[0])[1]}; and no other file can be used, either")


def _why(record):
    return (record.reason, record.detail) if record.reason else ("empty_text", "found no text")

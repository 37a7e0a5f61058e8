"""What a new project is made of: which documents, questions and queries there are, how their files call things, and the
files that say so. Reads beginnings of files only, asks nobody, and writes nothing but the project."""

import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from ragassay.base.errors import AssayError, Unusable, closest_file
from ragassay.config import usual_columns
from ragassay.documents import table_files
from ragassay.documents.documents import moment
from ragassay.documents.record import FIELDS, Record
from ragassay.documents.sources import KINDS, Columns, SourceError, document_files, records
from ragassay.documents.text_files import PARSED

MOST_SHARDS = 24
FEWEST_TEXTS = 5  # in a folder, so that it is worth a shard of its own
LOOKED_AT = 20_000  # rows of a table; of one with more, these are counted
SPANS, LONGEST_LINE = b'"resourceSpans"', 1_000_000  # of OpenTelemetry, and where they are looked for
WORDS, UNOPENED = 100, 300  # of a passage, and of a file that only a run parses, about
SAMPLED = 50  # rows of which dates are read
LISTED = 5  # files of which something cannot be used
DATE_FORMATS = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y-%m-%d %H:%M:%S,%f", "%d.%m.%Y %H:%M")


class ProjectError(AssayError):
    """No project can be made from this; the message names the option."""


@dataclass
class Documents:
    """What lies in a folder or a file of the user's."""

    path: str  # as the project reaches it
    texts: int = 0
    passages: int = 0  # about how many they are when they are cut
    is_all: bool = True  # whether all of them were counted
    kinds: Counter = field(default_factory=Counter)  # ending -> files
    shards: list[tuple[str, str]] = field(default_factory=list)  # name, path
    columns: dict[str, str] = field(default_factory=dict)  # that differ from the names here
    has_ids: bool = True  # whether the table among them, if there is one, has a column of ids
    date_format: str | None = None
    refused: dict[str, list[str]] = field(default_factory=dict)  # file, as the user reaches it -> what is wrong there

    def refusals(self) -> Iterator[str]:
        """A line for each of the first files of which something cannot be used, and what was looked at."""
        for file, problems in islice(self.refused.items(), LISTED):
            more = f" (and {len(problems) - 1:,} more in this file)" if len(problems) > 1 else ""
            yield f"not usable: {file}: {problems[0]}{more}"
        if len(self.refused) > LISTED:
            yield f"not usable: parts of {len(self.refused) - LISTED:,} more files; a run lists all in results/rejects"
        if unopened := [kind for kind in self.kinds if kind in PARSED]:
            yield f"not opened yet: {', '.join(unopened)}; a run opens them, and rejects those that it cannot read"

    @property
    def described(self) -> str:
        """Such as "25 texts in 19 .md, 6 .pdf"."""
        kinds = ", ".join(f"{count} {kind or 'without ending'}" for kind, count in self.kinds.most_common())
        return f"{'' if self.is_all else 'more than '}{self.texts:,} texts in {kinds}"


def documents_in(source: Path, path: str, option: str = "--documents") -> Documents:
    """`source` is where they lie, and `path` where the project will reach them."""
    files = _files(source, option)
    listed = Documents(path)
    table = next((file for file in files if is_table(file)), None)
    if table:
        columns, listed.date_format = columns_of(table, ("text",), FIELDS, "date", option)
        listed.columns = {name: column for name, column in columns.items() if name != column}
        listed.has_ids = "id" in columns
    names = {name: listed.columns.get(name, name) for name in FIELDS}
    texts_by_folder = Counter()
    for file in files:
        usable = seen = 0
        for record in islice(_rows(file, Columns.of_documents(names)), LOOKED_AT):
            seen += 1
            if record.reason:
                place = f"row {record.row}: " if is_table(file) else ""
                listed.refused.setdefault(file, []).append(f"{place}{record.detail}")
            else:
                usable += 1
                words = UNOPENED if record.title == file else len(str(record.fields.get(names["text"])).split())
                listed.passages += max(1, words // WORDS)
        listed.is_all &= seen < LOOKED_AT
        listed.texts += usable
        if Path(file).suffix.lower() in KINDS:
            listed.kinds[Path(file).suffix.lower()] += 1
            texts_by_folder[Path(file).relative_to(source).parts[0] if source.is_dir() else ""] += usable
    if not listed.texts and listed.refused:
        file, problems = next(iter(listed.refused.items()))
        raise ProjectError(f"{option}: {file}: {problems[0]}")
    if not listed.texts:
        raise ProjectError(f"{option}: {source}: found no text that can be read in {len(files)} files, expected some")
    listed.shards = list(_shards(source, path, texts_by_folder))
    return listed


def is_table(file) -> bool:
    """Whether a file may hold many texts."""
    return Path(file).suffix.lower() in (".csv", ".tsv", ".jsonl", ".parquet", ".arrow")


def _files(source, option):
    if not source.exists():
        raise ProjectError(f"{option}: {source}: no such file or folder{likely(source)}")
    try:
        return document_files(source)
    except SourceError as error:
        raise ProjectError(f"{option}: {error}") from error
    except OSError as error:
        raise ProjectError(f"{option}: {error.filename}: cannot be read ({error.strerror})") from error


def likely(path: Path) -> str:
    """What was probably meant by a path at which nothing lies. One that was an address lacks its second stroke."""
    is_address = str(path).partition("/")[0].endswith(":")
    return " (if this is the address of an object, copy that here)" if is_address else closest_file(path)


def _rows(file, columns):
    """The records of a file; of a table that cannot be read, one that says so, as a run has it."""
    try:
        yield from records([file], columns, unopened=True)
    except SourceError as error:
        yield Record(file, 1, reason="unreadable", detail=str(error).removeprefix(f"{file}: "))
    except OSError as error:
        raise ProjectError(f"{file}: cannot be read ({error.strerror}), expected a file that you may read") from error


def _shards(source, path, texts_by_folder):
    """One for each folder in the folder, where all documents lie in such and each has some; otherwise one."""
    folders = sorted(name for name in texts_by_folder if name and (source / name).is_dir())
    enough = all(texts_by_folder[name] >= FEWEST_TEXTS for name in folders)
    if not 1 < len(folders) <= MOST_SHARDS or not enough or len(folders) < len(texts_by_folder):
        yield shard_name(source.stem if source.is_file() else source.resolve().name, set()), path
        return
    taken = set()
    for folder in folders:
        name = shard_name(folder, taken)
        taken.add(name)
        yield name, f"{path}/{folder}"


def shard_name(text: str, taken: Iterable[str]) -> str:
    """A permanent name that paths can have."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:60] or "documents"
    numbered = (f"{name}-{number}" for number in range(2, len([*taken]) + 3))
    return name if name not in taken else next(other for other in numbered if other not in taken)


def columns_of(
    file, needed: tuple[str, ...], optional: tuple[str, ...], date: str, option: str
) -> tuple[dict[str, str], str | None]:
    """What a table calls these fields, as far as it has them, and the format of its dates, if that is not ISO 8601."""
    if not Path(file).is_file():
        raise ProjectError(f"{option}: {file}: no such file{likely(file)}")
    if not is_table(file):
        raise ProjectError(f"{option}: {file}: found a file of another kind, expected a table, such as CSV")
    try:
        present = [name.lower() for name in table_files.header(str(file))]
        columns = {}
        for name in dict.fromkeys((*needed, *optional)):
            column = usual_columns.of(name, [column for column in present if column not in columns.values()])
            if column:
                columns[name] = column
            elif name in needed:
                expected = f"expected one of the columns {', '.join(usual_columns.NAMES[name])}"
                raise ProjectError(f"{option}: {file}: found no column with each {name}, {expected}; rename yours")
        dated = columns.get(date)
        rows = islice(records([str(file)], Columns((dated,), ())), SAMPLED) if dated else ()
        values = [row.fields[dated] for row in rows if row.fields.get(dated)]
    except SourceError as error:
        raise ProjectError(f"{option}: {error}") from error
    return columns, date_format(values)


def log_entry(file: Path, option: str) -> dict:
    """What the configuration says of a log beside its file: nothing of spans, which name their own parts."""
    with contextlib.suppress(OSError), file.open("rb") as content:
        if SPANS in content.readline(LONGEST_LINE):
            return {}
    columns, form = columns_of(file, ("question", "asked"), (), "asked", option)
    entry = {"columns": {"date": columns["asked"], "text": columns["question"]}}
    return entry | ({"date_format": form} if form else {})


def date_format(values: list) -> str | None:
    """The one format in which all of these dates are written; None for ISO 8601, and where several fit or none does."""
    if not values or all(_is_date(value, None) for value in values):
        return None
    fitting = [form for form in DATE_FORMATS if all(_is_date(value, form) for value in values)]
    return fitting[0] if len(fitting) == 1 else None


def _is_date(value, form):
    try:
        return moment(value, form) is not None
    except Unusable:
        return False

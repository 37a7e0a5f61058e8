"""Read the table of shards: one row per batch of documents, with a permanent name. Append rows, never rename or
reorder them. A row with something in `documents` takes the user's files from there; one without it is crawled."""

import calendar
import csv
import datetime
import re
from collections.abc import Iterator
from pathlib import Path

from ragassay.base import address
from ragassay.base.atomic import write_text
from ragassay.base.errors import AssayError, closest_file
from ragassay.base.terminal import shown
from ragassay.config.settings import NAME
from ragassay.documents.sources import SourceError, document_files

COLUMNS = ["shard", "documents"]
MONTH = r"[0-9]{4}-(0[1-9]|1[0-2])"
CRAWLED = ["topics", "first_day", "last_day", "per_topic"]  # more columns, for shards that are crawled


class ShardError(AssayError):
    """The table of shards cannot be used; the message names the line."""


def read_shards(path, taken=()) -> dict[str, dict]:
    """The rows by shard name, in the order of the file; cells that are empty are None, `before` are earlier shards.
    Names that are `taken` belong to question sets. All rows that cannot be used are one error, a line each.
    """
    columns = ", ".join(COLUMNS)
    if not Path(path).is_file():
        expected = f"expected a tab-separated table with the columns {columns}{closest_file(path)}"
        raise ShardError(f"{path}: no such file, {expected}")
    shards, problems = {}, []
    with Path(path).open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        try:
            header = next(rows, [])
            if header not in (COLUMNS, COLUMNS + CRAWLED):
                expected = f"expected {COLUMNS}, or for crawls {COLUMNS + CRAWLED}, separated by tabs"
                raise ShardError(f"{path}:1: found the columns {shown(header, 200)}, {expected}")
            for cells in filter(None, rows):
                try:
                    row = _checked(cells, header, f"{path}:{rows.line_num}", shards, taken)
                    shards[row["shard"]] = row | {"before": list(shards)}
                except ShardError as error:
                    problems.append(str(error))
        except (csv.Error, OSError) as error:
            problems.append(f"{path}:{rows.line_num}: {error}")
    if not shards and not problems:
        problems.append(f"{path}: no shard, expected at least one row")
    if problems:
        raise ShardError("\n".join(problems))
    return shards


def check(config: dict) -> Iterator[tuple]:
    """Whether the table of shards can be used, and the user's files that it names."""
    try:
        shards = read_shards(config["shards"], config["question_sets"])
    except ShardError as error:
        yield from ((("shards",), line) for line in str(error).splitlines())
        return
    for row in shards.values():
        try:
            if row["documents"]:
                document_files(address.local(row["documents"], f"shards.{row['shard']}"))
        except SourceError as error:
            yield ("shards",), f"shard {row['shard']}: {error}"


def month_row(path, month: str, documents: str | None) -> dict[str, str]:
    """The row that a month adds to the table: documents of the user's, those in a folder of its name beside the last
    shard's, or a crawl like the last one, of the days of the month.
    """
    if not re.fullmatch(MONTH, month):
        raise ShardError(f"--month: found {month!r}, expected a month such as 2026-12")
    if not Path(path).is_file():
        raise ShardError(f"{path}: no such file, expected the table of shards of a project")
    header, *rows = [line.split("\t") for line in Path(path).read_text(encoding="utf-8-sig").splitlines() if line]
    shards = [dict(zip(header, row, strict=False)) for row in rows]
    if month in [row["shard"] for row in shards]:
        raise ShardError(f"{path}: shard {month} stands there already; a name is given once")
    last = shards[-1] if shards else {}
    is_local = last.get("documents") and not address.is_address(last["documents"])
    beside = Path(last["documents"]).parent / month if is_local else None
    if not documents and not last.get("documents") and header[2:] == CRAWLED:
        first = datetime.date.fromisoformat(f"{month}-01")
        days = {
            "first_day": first.isoformat(),
            "last_day": f"{month}-{calendar.monthrange(first.year, first.month)[1]}",
        }
        return dict.fromkeys(header, "") | last | {"shard": month} | days
    if not documents and (beside is None or not (Path(path).parent / beside).exists()):
        problem = f"{beside}: no such folder" if beside else "found none"
        raise ShardError(f"--documents: {problem}, expected the documents of {month}: --documents PATH")
    return dict.fromkeys(header, "") | {"shard": month, "documents": documents or beside.as_posix()}


def append(path, row: dict[str, str]) -> None:
    """Add a row at the end of the table; all others stay as they are."""
    text = Path(path).read_text(encoding="utf-8")
    line = "\t".join(row.values())
    write_text(path, f"{text}{'' if text.endswith(chr(10)) else chr(10)}{line}\n")


def one_of(names: list[str]) -> str:
    """A form of wildcards that only these names have; one of them may be empty."""
    return f"(?:{'|'.join(map(re.escape, names))})" if names else "(?!)"


def _checked(cells, header, where, earlier, taken):
    if len(cells) == len(COLUMNS):  # a row of files needs no more
        cells = cells + [""] * (len(header) - len(COLUMNS))
    if len(cells) != len(header):
        raise ShardError(
            f"{where}: found {len(cells)} cells, expected {len(header)} separated by tabs: {', '.join(header)}"
        )
    row = dict.fromkeys(CRAWLED) | {name: cell or None for name, cell in zip(header, cells, strict=True)}
    if not re.fullmatch(NAME, row["shard"] or ""):
        raise ShardError(
            f"{where}: found the name {row['shard'] or ''!r}, expected letters, digits, '.', '_' and '-', at most 64"
        )
    if row["shard"] in earlier:
        raise ShardError(f"{where}: shard {row['shard']} stands there twice; a name is given once")
    if row["shard"] in taken:
        problem = f"{where}: found shard {row['shard']}"
        raise ShardError(f"{problem}, which is a question set in the configuration; give the set another name")
    if row["documents"] or CRAWLED[0] not in header:
        _check_documents(row["documents"] or "", where)
    else:
        _check_window(row, where)
    row["per_topic"] = _number(row["per_topic"], where)
    row["topics"] = [topic.strip() for topic in row["topics"].split(",")] if row["topics"] else None
    return row


def _check_documents(path, where):
    if not path.isprintable():
        raise ShardError(f"{where}: found {path!r}, expected printable letters in UTF-8")
    if address.is_address(path):
        return  # its job looks for it
    if not address.stays_inside(path):
        remedy = "copy the documents there or link them, as in: ln -s /where/they/are data"
        if "://" in path:
            raise ShardError(f"{where}: found {path!r}, expected a path, or an address such as {address.FORM}")
        raise ShardError(f"{where}: found {path!r}, expected a path inside the working directory; {remedy}")
    if not Path(path).exists():
        raise ShardError(f"{where}: {path}: no such file or folder{closest_file(path)}")


def _check_window(row, where):
    for name in ("first_day", "last_day"):
        try:
            row[name] = datetime.date.fromisoformat(row[name] or "").isoformat()
        except ValueError:
            expected = "expected a day such as 2026-11-01, or files in the column documents"
            raise ShardError(f"{where}: found {row[name] or ''!r} in {name}, {expected}") from None
    if row["first_day"] > row["last_day"]:
        raise ShardError(f"{where}: found the last day {row['last_day']} before the first, {row['first_day']}")


def _number(text, where):
    if text is None:
        return None
    if not re.fullmatch("[1-9][0-9]{0,5}", text):
        raise ShardError(f"{where}: found {text!r} in per_topic, expected how many documents of each topic, or nothing")
    return int(text)

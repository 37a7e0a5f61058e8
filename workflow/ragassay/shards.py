"""Read the table of shards: one row per batch of documents, with a permanent name. Append rows, never rename or
reorder them.
"""

import csv
import re
from pathlib import Path

from ragassay.config import NAME, stays_inside
from ragassay.errors import AssayError

COLUMNS = ["shard", "documents"]


class ShardError(AssayError):
    """The table of shards cannot be used; the message names the line."""


def read_shards(path) -> dict[str, dict]:
    """The rows by shard name, in the order of the file."""
    if not Path(path).is_file():
        raise ShardError(f"{path}: no such file, expected a tab-separated table with the columns {', '.join(COLUMNS)}")
    with Path(path).open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        shards = {}
        try:
            header = next(rows, [])
            if header != COLUMNS:
                raise ShardError(f"{path}:1: found the columns {header}, expected {COLUMNS}, separated by tabs")
            for cells in filter(None, rows):
                row = _checked(cells, f"{path}:{rows.line_num}")
                if row["shard"] in shards:
                    raise ShardError(
                        f"{path}:{rows.line_num}: shard {row['shard']} stands there twice; a name is given once"
                    )
                shards[row["shard"]] = row
        except (csv.Error, OSError) as error:
            raise ShardError(f"{path}:{rows.line_num}: {error}") from error
    if not shards:
        raise ShardError(f"{path}: no shard, expected at least one row")
    return shards


def _checked(cells, where):
    if len(cells) != len(COLUMNS):
        raise ShardError(
            f"{where}: found {len(cells)} cells, expected {len(COLUMNS)} separated by tabs: {', '.join(COLUMNS)}"
        )
    row = dict(zip(COLUMNS, cells, strict=True))
    if not re.fullmatch(NAME, row["shard"]):
        raise ShardError(
            f"{where}: found the name {row['shard']!r}, expected letters, digits, '.', '_' and '-', at most 64"
        )
    if not row["documents"].isprintable():
        raise ShardError(f"{where}: found {row['documents']!r}, expected printable letters in UTF-8")
    if not stays_inside(row["documents"]):
        remedy = "copy the documents there or link them, as in: ln -s /where/they/are data"
        raise ShardError(f"{where}: found {row['documents']!r}, expected a path inside the working directory; {remedy}")
    if not Path(row["documents"]).exists():
        raise ShardError(f"{where}: {row['documents']}: no such file or folder")
    return row

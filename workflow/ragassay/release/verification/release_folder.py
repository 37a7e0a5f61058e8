"""A release as it lies in a folder: its manifest, and its tables with the keys that stand in their paths.

`manifest.json` says which tables there are, what their columns mean, which of them hold texts and whose, and what
refers to what. Numbers are never taken from it: whatever counts something reads the tables.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ragassay.release.verification.digests import scalar

MANIFEST, SUMS, SIGNATURE, CARD, DATASHEET = (
    "manifest.json",
    "SHA256SUMS",
    "SHA256SUMS.sig",
    "README.md",
    "DATASHEET.md",
)
TABLES = "tables"


class Unusable(Exception):
    """There is no release in the folder, or what it says of itself cannot be read."""


class ReleaseFolder:
    def __init__(self, folder):
        self.folder = Path(folder)
        path = self.folder / MANIFEST
        try:
            self.manifest = json.loads(path.read_bytes())
            self.tables = self.manifest["tables"]
            self.files = {name: sorted(entry["files"]) for name, entry in self.tables.items()}
            self.version = self.manifest["version"]
            self.passes = {}  # file -> the FilePass over it, as far as there was one
        except FileNotFoundError:
            raise Unusable(f"{path}: no such file, expected the manifest of a release") from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Unusable(f"{path}: found no manifest ({error!r}); get the release again") from error

    def keys(self, table: str, file: str) -> dict[str, str]:
        """The values of the keys in the path of a file, such as generator and shard."""
        form = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]*)", re.escape(self.tables[table]["path"] or ""))
        found = re.fullmatch(f"{TABLES}/{form}\\.parquet", file)
        return found.groupdict() if found else {}

    def watched(self, table: str) -> set[str]:
        """The columns of a table whose distinct values are checked: both ends of references, prompts, passages."""
        names = {"prompt", "passage_id"}
        for source, column, target, other in self.manifest["references"]:
            names |= {column} if source == table else set()
            names |= {other} if target == table else set()
        return names

    def place(self, table: str, file: str) -> str:
        """Where a file stands among those of its table: `embedded/2026-09`."""
        return file.removeprefix(f"{TABLES}/").removeprefix(f"{table}/").removesuffix(".parquet")

    def each(self, table: str, columns: list[str]) -> Iterator[tuple[str, pa.Table]]:
        """Every file of a table, and these columns of it."""
        for file in self.files.get(table, ()):
            with pq.ParquetFile(self.folder / file, pre_buffer=False) as parquet:
                yield file, parquet.read(columns, use_threads=False)

    def read(self, table: str, columns: list[str]) -> pa.Table | None:
        """The rows of all files with the keys of their paths, or None where the release has no such table."""
        parts = []
        for file, rows in self.each(table, columns):
            for name, value in self.keys(table, file).items():
                if name not in rows.column_names:
                    rows = rows.append_column(name, pa.repeat(scalar(value), rows.num_rows))
            parts.append(rows)
        return pa.concat_tables(parts) if parts else None

    def has(self, table: str, *columns: str) -> bool:
        """Whether the release has this table with these columns."""
        known = {column["name"] for column in self.tables.get(table, {}).get("columns", ())}
        return bool(self.files.get(table)) and known.issuperset(columns)

"""A release as it lies in a folder: its manifest, and its tables with the keys that stand in their paths.

`manifest.json` says which tables there are, what their columns mean, which of them hold texts and whose, and what
refers to what. Numbers are never taken from it: whatever counts something reads the tables.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from ragassay.release.verification import manifest
from ragassay.release.verification.digests import Oversized, n_rows, read_table, scalar
from ragassay.release.verification.manifest import TABLES

MANIFEST, SUMS, SIGNATURE, CARD, DATASHEET = (
    "manifest.json",
    "SHA256SUMS",
    "SHA256SUMS.sig",
    "README.md",
    "DATASHEET.md",
)
LARGEST_TEXT = 64_000_000  # bytes of all files that are no tables: each is read as a whole
LARGEST_PARSED = 500_000  # bytes of configuration and prompts together: YAML takes 20 s a megabyte
# What damaged and hostile tables raise.
REFUSED = (pa.ArrowException, OSError, ValueError, ArithmeticError, LookupError, TypeError, AttributeError)
REFUSED += (RecursionError, Oversized)


class UnusableManifest(Exception):
    """There is no release in the folder, or what it says of itself cannot be read."""


class ReleaseFolder:
    def __init__(self, folder):
        self.folder = Path(folder)
        path = self.folder / MANIFEST
        try:
            if (size := path.stat().st_size) > LARGEST_TEXT:
                raise UnusableManifest(f"{path}: found {size} bytes, expected at most {LARGEST_TEXT}")
            self.manifest = json.loads(path.read_bytes())
        except FileNotFoundError:
            raise UnusableManifest(f"{path}: no such file, expected the manifest of a release") from None
        except (OSError, ValueError, RecursionError) as error:
            told = type(error).__name__
            raise UnusableManifest(
                f"{path}: found no JSON ({told}), expected a manifest; get the release again"
            ) from error
        if problem := manifest.problem(self.manifest):
            raise UnusableManifest(f"{path}: {problem}")
        self.tables = self.manifest["tables"]
        self.files = {name: sorted(entry["files"]) for name, entry in self.tables.items()}
        self.version = self.manifest["version"]
        self.passes = {}  # file -> the FilePass over it, as far as there was one
        self.unfolded = 0  # bytes of tables in memory, all together

    def keys(self, table: str, file: str) -> dict[str, str]:
        """The values of the keys in the path of a file, such as generator and shard."""
        found = re.fullmatch(rf"{TABLES}/{manifest.path_form(self.tables[table]['path'] or '')}\.parquet", file)
        return found.groupdict() if found else {}

    def watched(self, table: str) -> set[str]:
        """The columns of a table whose distinct values are checked: both ends of references, prompts, passages."""
        names = {"prompt", "passage_id"}
        for source, column, target, other in self.manifest["references"]:
            names |= {column} if source == table else set()
            names |= {other} if target == table else set()
        return names

    def place(self, table: str, file: str) -> str:
        """Where a file stands among those of its table: `authors/2026-09`."""
        return file.removeprefix(f"{TABLES}/").removeprefix(f"{table}/").removesuffix(".parquet")

    def rows(self, table: str) -> list[int]:
        """How many rows each file of a table has."""
        return [n_rows(self.folder / file) for file in self.files[table]]

    def each(self, table: str, columns: list[str] | None = None) -> Iterator[tuple[str, pa.Table]]:
        """Every file of a table, and these columns of it, or all."""
        for file in self.files.get(table, ()):
            yield file, read_table(self.folder / file, columns)

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

"""Ways in which a release can go wrong, each done to a folder, undone again, and whether verifying finds it."""

import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ragassay.release.verification import checks
from ragassay.release.verification.release_folder import present

LABELS = ("label", "status", "intended", "verdict", "split", "abstained", "outcome")


class Corruptions:
    """`one_of_each` yields (kind, file, whether it was found) for every kind in turn, for ever."""

    def __init__(self, folder: Path, seed: int = 0):
        self.folder, self.chance = folder, random.Random(seed)
        self.files = [name for name in [*present(folder), "SHA256SUMS"] if (folder / name).stat().st_size]
        self.tables = [name for name in self.files if name.endswith(".parquet")]
        self.of_kinds = {}
        for name in self.files:
            kind = name.split("/")[1] if name.startswith("tables/") else Path(name).suffix or name
            self.of_kinds.setdefault(kind, []).append(name)

    def one_of_each(self) -> Iterator[tuple[str, str, bool]]:
        while True:
            for change in (self.byte, self.deleted_row, self.swapped_labels, self.changed_number, self.exchanged_files):
                before = change()
                try:
                    yield change.__name__, sorted(before)[0], self._found(before)
                finally:
                    for name, content in before.items():
                        (self.folder / name).write_bytes(content)

    def byte(self):
        name = self.chance.choice(self.of_kinds[self.chance.choice(sorted(self.of_kinds))])
        content = (self.folder / name).read_bytes()
        at = self.chance.randrange(len(content))
        other = bytes([content[at] ^ self.chance.randrange(1, 256)])
        (self.folder / name).write_bytes(content[:at] + other + content[at + 1 :])
        return {name: content}

    def deleted_row(self):
        name, rows = self._table(lambda rows: rows.num_rows > 0)
        at = self.chance.randrange(rows.num_rows)
        return self._rewritten(name, pa.concat_tables([rows.slice(0, at), rows.slice(at + 1)]))

    def swapped_labels(self):
        name, rows = self._table(lambda rows: self._labels(rows))
        column = self.chance.choice(self._labels(rows))
        values = rows[column].to_pylist()
        one = self.chance.randrange(len(values))
        other = self.chance.choice([at for at, value in enumerate(values) if value != values[one]])
        values[one], values[other] = values[other], values[one]
        at = rows.column_names.index(column)
        return self._rewritten(name, rows.set_column(at, rows.schema.field(at), pa.array(values, rows[column].type)))

    def changed_number(self):
        name = self.chance.choice(["README.md", "DATASHEET.md", "croissant.json", "manifest.json"])
        content = (self.folder / name).read_bytes()
        match = self.chance.choice(list(re.finditer(rb"\d+", content)))
        number = str(int(match[0]) + self.chance.randrange(1, 9)).encode()
        (self.folder / name).write_bytes(content[: match.start()] + number + content[match.end() :])
        return {name: content}

    def exchanged_files(self):
        while True:
            one, other = self.chance.sample(self.tables, 2)
            before = {name: (self.folder / name).read_bytes() for name in (one, other)}
            if before[one] != before[other]:
                (self.folder / one).write_bytes(before[other])
                (self.folder / other).write_bytes(before[one])
                return before

    def _found(self, before):
        if any(name.endswith(".py") for name in before):  # what verifies was changed: it runs as it is now
            command = [sys.executable, str(self.folder / "verify.py")]
            environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
            return subprocess.run(command, env=environment, capture_output=True).returncode != 0
        return next(checks.problems(self.folder), None) is not None

    def _table(self, usable):
        while True:
            name = self.chance.choice(self.tables)
            rows = pq.read_table(self.folder / name, partitioning=None)
            if usable(rows):
                return name, rows

    def _labels(self, rows):
        return [name for name in LABELS if name in rows.column_names and len(rows[name].unique()) > 1]

    def _rewritten(self, name, rows):
        content = (self.folder / name).read_bytes()
        pq.write_table(rows, self.folder / name)
        return {name: content}

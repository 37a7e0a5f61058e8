"""Sort rows that may not fit in memory: sorted runs on disk, then one pass that merges them. Knows nothing of Parquet
or of tables; `ragassay.base.tables.Writer` is its only user."""

import bisect
import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base.atomic import beside

RUN_BYTES = 64 * 2**20
MERGE_BYTES = 2**20  # of each run that a merge holds at a time


class SortedRuns:
    """Collect rows in any order with `add`, hand them back in order of `key` with `merged`, and `close` to delete the
    runs.
    """

    def __init__(self, schema: pa.Schema, key, path: Path):
        self.schema, self.order = schema, [(name, "ascending") for name in key]
        self.path = Path(path)
        self.held, self.bytes = [], 0
        self.folder, self.runs = None, []

    def add(self, rows: pa.Table) -> None:
        for part in _cut(rows, RUN_BYTES):
            self.held.append(part)
            self.bytes += part.nbytes
            if self.bytes >= RUN_BYTES:
                self._spill()

    def merged(self) -> Iterator[pa.Table]:
        """The rows in order, in pieces that are never empty."""
        if self.runs:
            self._spill()
            ends = [self._ends(run) for run in self.runs]
            if all(last < first for (_, last), (first, _) in itertools.pairwise(ends)):
                for run in self.runs:  # they came in order already, as most large tables do
                    yield from _pieces(run)
            else:
                yield from self._merge()
        elif self.held:
            rows, self.held = self._sorted(self.held), []
            yield from _cut(rows, MERGE_BYTES)

    def close(self) -> None:
        self.held = []
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _sorted(self, parts):
        rows = pa.concat_tables(parts)
        return rows.take(pc.sort_indices(rows, self.order)) if rows.num_rows else rows

    def _spill(self):
        rows, self.held, self.bytes = self._sorted(self.held or [self.schema.empty_table()]), [], 0
        if not rows.num_rows:
            return
        if self.folder is None:
            self.folder = beside(self.path, "runs")
            shutil.rmtree(self.folder, ignore_errors=True)  # of a killed process that had our number
            self.folder.mkdir(parents=True)
        self.runs.append(self.folder / f"{len(self.runs)}.arrow")
        with pa.OSFile(str(self.runs[-1]), "wb") as sink, pa.ipc.new_file(sink, self.schema) as run:
            for part in _cut(rows, MERGE_BYTES):
                run.write_table(part)

    def _merge(self):
        """Hold the next piece of each run; hand out all rows up to the first key that ends such a piece, for no unread
        row comes before it; read on there.
        """
        runs = [_pieces(run) for run in self.runs]
        held = [next(run) for run in runs]
        while held:
            bound = min(self._key(rows, rows.num_rows - 1) for rows in held)
            cuts = [self._count(rows, bound) for rows in held]
            yield self._sorted([rows.slice(0, cut) for rows, cut in zip(held, cuts, strict=True)])
            held = [rows.slice(cut) for rows, cut in zip(held, cuts, strict=True)]
            held = [rows if rows.num_rows else next(run, None) for rows, run in zip(held, runs, strict=True)]
            runs = [run for rows, run in zip(held, runs, strict=True) if rows]
            held = [rows for rows in held if rows]

    def _count(self, rows, bound):
        """How many of the sorted rows have a key of at most `bound`."""
        return bisect.bisect_right(range(rows.num_rows), bound, key=lambda at: self._key(rows, at))

    def _key(self, rows, at):
        return tuple(rows[name][at].as_py() for name, _ in self.order)

    def _ends(self, run):
        """The first and the last key of a run."""
        with pa.OSFile(str(run), "rb") as source, pa.ipc.open_file(source) as pieces:
            last = pieces.get_batch(pieces.num_record_batches - 1)
            return self._key(pieces.get_batch(0), 0), self._key(last, last.num_rows - 1)


def _pieces(run):
    with pa.OSFile(str(run), "rb") as source, pa.ipc.open_file(source) as pieces:
        for number in range(pieces.num_record_batches):
            yield pa.Table.from_batches([pieces.get_batch(number)])


def _cut(rows, size):
    """The rows in slices of about `size` bytes."""
    count = max(1, rows.num_rows * size // max(rows.nbytes, 1))
    return (rows.slice(at, count) for at in range(0, rows.num_rows, count))

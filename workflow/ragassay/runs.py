"""Sort rows that may not fit in memory: sorted runs on disk, then one pass that merges them.

`SortedRuns` knows nothing of Parquet or of tables; `ragassay.tables.Writer` is its only user.
"""

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.atomic import beside

RUN_BYTES = 128 * 2**20
MERGE_ROWS = 32_768


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
        self.held.append(rows)
        self.bytes += rows.nbytes
        if self.bytes >= RUN_BYTES:
            self._spill()

    def merged(self) -> Iterator[pa.Table]:
        """The rows in order, in pieces that are never empty."""
        if self.runs:
            self._spill()
            ends = [_ends(run, self.schema, self.order) for run in self.runs]
            if all(last < first for (_, last), (first, _) in itertools.pairwise(ends)):
                for run in self.runs:  # they came in order already, as most large tables do
                    yield from _pieces(run)
            else:
                yield from self._merge()
        elif self.held:
            rows, self.held = self._sorted(self.held), []
            yield from (rows.slice(at, MERGE_ROWS) for at in range(0, rows.num_rows, MERGE_ROWS))

    def close(self) -> None:
        self.held = []
        if self.folder:
            shutil.rmtree(self.folder)

    def _sorted(self, parts):
        rows = pa.concat_tables(parts)
        return rows.take(pc.sort_indices(rows, self.order)) if rows.num_rows else rows

    def _spill(self):
        rows, self.held, self.bytes = self._sorted(self.held or [self.schema.empty_table()]), [], 0
        if not rows.num_rows:
            return
        if self.folder is None:
            self.folder = beside(self.path, "runs")
            self.folder.mkdir(parents=True)
        self.runs.append(self.folder / f"{len(self.runs)}.arrow")
        with pa.OSFile(str(self.runs[-1]), "wb") as sink, pa.ipc.new_file(sink, self.schema) as run:
            run.write_table(rows, max_chunksize=MERGE_ROWS)

    def _merge(self):
        """Sort what is at hand and emit it up to the first row behind which an unread row could belong; then read on
        there.
        """
        runs = [_pieces(run) for run in self.runs]
        held = [_numbered(next(run), number) for number, run in enumerate(runs)]
        unread = set(range(len(runs)))
        while unread:
            rows = pa.concat_tables(held)
            rows = rows.take(pc.sort_indices(rows, self.order))
            cut, run = min((_last(rows["run of the row"], run), run) for run in unread)
            yield rows.slice(0, cut + 1).select(self.schema.names)
            held = [rows.slice(cut + 1)]
            more = next(runs[run], None)
            if more is None:
                unread.remove(run)
            else:
                held.append(_numbered(more, run))
        rows = self._sorted(held).select(self.schema.names)
        if rows.num_rows:
            yield rows


def _pieces(run):
    with pa.OSFile(str(run), "rb") as source, pa.ipc.open_file(source) as pieces:
        for number in range(pieces.num_record_batches):
            yield pa.Table.from_batches([pieces.get_batch(number)])


def _numbered(rows, run):
    return rows.append_column("run of the row", pa.repeat(pa.scalar(run, pa.int32()), rows.num_rows))


def _last(column, value):
    return pc.indices_nonzero(pc.equal(column, value))[-1].as_py()


def _ends(run, schema, order):
    names = [name for name, _ in order]
    with pa.OSFile(str(run), "rb") as source, pa.ipc.open_file(source) as pieces:
        first = pieces.get_batch(0).select(names).slice(0, 1)
        last = pieces.get_batch(pieces.num_record_batches - 1).select(names)
        return [tuple(rows.to_pylist()[0].values()) for rows in (first, last.slice(last.num_rows - 1))]

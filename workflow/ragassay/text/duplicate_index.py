"""Earlier texts that new ones are nearly the same as. An index is a file of signatures and of their bands, sorted. A
search maps it and reads it only where it looks: what that costs depends on the new texts.

Its rows are different texts, shard after shard. A text near to several earlier ones belongs to the first of them, and
the texts of a cluster belong together; `near_duplicates` says what is near, and makes the clusters of one shard.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa

from ragassay.base.atomic import replacing
from ragassay.base.errors import AssayError
from ragassay.text.near_duplicates import BANDS, HASHES, VIEWS, WIDTH, bands, similarity

PAIRS = 20_000  # pairs that are compared at once
ROW = np.uint64(2**32 - 1)  # the bits of an entry of a band that are the number of a row; the others are the key
ROWS = pa.schema(
    {
        "cluster_id": pa.string(),  # in its shard
        "first": pa.int64(),  # the row of the first text of that cluster
        "shard_begins": pa.int64(),  # the row of the first text of its shard
        "content_hash": pa.string(),
        "representative": pa.string(),  # the article that represents the cluster
        "signature": pa.binary(WIDTH),
    }
)
SCHEMA = pa.schema([*ROWS, *((f"band_{number:02}", pa.uint64()) for number in range(BANDS))])


class DuplicateIndexError(AssayError):
    """A file is no index of texts."""


class DuplicateIndex:
    """The texts of one shard or of several."""

    def __init__(self, rows: pa.Table, entries: list[np.ndarray] | None = None):
        self.rows = rows = rows.combine_chunks()
        self.first, self.shard_begins = _numbers(rows["first"]), _numbers(rows["shard_begins"])
        packed = rows["signature"].chunk(0).buffers()[1] if len(rows) else b""
        self.signatures = np.frombuffer(packed, "<u2").reshape(-1, VIEWS, HASHES)
        numbers = np.arange(len(rows), dtype=np.uint64)
        self.bands = entries or [np.sort(keys << 32 | numbers) for _, keys in bands(self.signatures)]

    def __len__(self):
        return len(self.rows)

    @classmethod
    def of(cls, signatures: np.ndarray, first: np.ndarray, **columns) -> "DuplicateIndex":
        """Of one shard; `columns` are lists of texts, and empty where they are not given."""
        size, packed = len(signatures), pa.py_buffer(signatures.astype("<u2").tobytes())
        texts = {name: [""] * size for name in ("cluster_id", "content_hash", "representative")}
        kept = pa.FixedSizeBinaryArray.from_buffers(pa.binary(WIDTH), size, [None, packed])
        numbers = {"first": first, "shard_begins": np.zeros(size, np.int64), "signature": kept}
        return cls(pa.table(texts | columns | numbers, ROWS))

    @classmethod
    def merged(cls, indexes: Iterable["DuplicateIndex"]) -> "DuplicateIndex":
        pieces, begin = [], 0
        for index in indexes:
            moved = {"first": index.first + begin, "shard_begins": index.shard_begins + begin}
            columns = {name: moved.get(name, index.rows[name]) for name in ROWS.names}
            pieces.append(pa.table(columns, ROWS))
            begin += len(index)
        return cls(pa.concat_tables(pieces))

    @classmethod
    def read(cls, path) -> "DuplicateIndex":
        try:
            with pa.memory_map(str(path)) as file:
                table = pa.ipc.open_file(file).read_all()
        except pa.ArrowInvalid as error:
            raise DuplicateIndexError(f"{path}: found no whole index ({error}); delete it and run again") from error
        if table.schema != SCHEMA:
            problem = f"found an index with signatures or columns of another kind, expected {WIDTH} bytes"
            raise DuplicateIndexError(f"{path}: {problem} and {BANDS} bands; delete it and run again")
        return cls(table.select(ROWS.names), [_numbers(table[name]) for name in SCHEMA.names[len(ROWS) :]])

    def write(self, path) -> None:
        table = pa.table([*self.rows.columns, *self.bands], SCHEMA).combine_chunks()
        with replacing(Path(path)) as file, pa.ipc.new_file(file, SCHEMA) as writer:
            writer.write_table(table)


def earlier_neighbours(
    signatures: np.ndarray, first: np.ndarray, earlier: Iterable[DuplicateIndex], threshold: float, before=None
) -> dict[int, int]:
    """first text of a cluster -> the first row of `earlier`, counted through, that one of its texts is near to; only of
    clusters that have such a row. Of each cluster, only rows below `before` at its first text count.
    """
    keys = [(view, numbers << 32) for view, numbers in bands(signatures)]
    limit = np.full(len(signatures), np.iinfo(np.int64).max) if before is None else before
    nearest, begin = limit.copy(), 0
    for index in earlier:
        open_ = np.flatnonzero(nearest[first] > begin)  # the others are near to a row before these
        for (view, numbers), entries in zip(keys, index.bands, strict=True):
            for at, places in _equal(numbers[open_], entries):
                texts, rows = open_[at], (entries[places] & ROW).astype(np.int64)
                better = begin + rows < nearest[first[texts]]
                texts, rows = texts[better], rows[better]
                near = similarity(index.signatures[rows, view], signatures[texts, view]) >= threshold
                np.minimum.at(nearest, first[texts[near]], begin + rows[near])
        begin += len(index)
    return {int(text): int(nearest[text]) for text in np.flatnonzero(nearest < limit)}


def earlier_clusters(new: DuplicateIndex, earlier: list[DuplicateIndex], threshold: float) -> dict[int, str]:
    """first text of a cluster of `new` -> the cluster of earlier shards that it joins: that of the first row that it is
    near to, which may have joined one before it, and so on.
    """
    nearest = earlier_neighbours(new.signatures, new.first, earlier, threshold) if earlier else {}
    first, joined = (
        {},
        {},
    )  # of rows of `earlier`, the first of its cluster; of such a first row, which row it is near to
    reached = np.array([*nearest.values()], np.int64)
    while len(reached):
        rows, firsts, begins, signatures = _clusters(earlier, reached)
        first |= dict(zip(rows.tolist(), firsts.tolist(), strict=True))
        further = earlier_neighbours(signatures, np.searchsorted(rows, firsts), earlier, threshold, begins)
        joined |= {int(rows[text]): row for text, row in further.items()}
        reached = np.array([row for row in further.values() if row not in first], np.int64)
    names = {}
    for text, row in nearest.items():
        while (start := first[row]) in joined:
            row = joined[start]
        names[text] = _cluster_id(earlier, row)
    return names


def _clusters(earlier, reached):
    """The rows of all texts in clusters of the reached ones; of each the first row of its cluster, the first of its
    shard, and its signature.
    """
    parts, begin = [], 0
    for index in earlier:
        here = reached[(reached >= begin) & (reached < begin + len(index))] - begin
        rows = np.flatnonzero(np.isin(index.first, index.first[here])) if len(here) else here
        numbers = [values + begin for values in (rows, index.first[rows], index.shard_begins[rows])]
        parts.append((*numbers, index.signatures[rows]))
        begin += len(index)
    return (np.concatenate(column) for column in zip(*parts, strict=True))


def _cluster_id(earlier, row):
    for index in earlier:
        if row < len(index):
            return index.rows["cluster_id"][row].as_py()
        row -= len(index)
    raise IndexError(row)


def _numbers(column) -> np.ndarray:
    """A column of one piece, as it lies in the file."""
    return column.chunk(0).to_numpy() if len(column) else np.empty(0, column.type.to_pandas_dtype())


def _equal(keys, entries):
    """Pairs (number of a key, place in `entries`, which is sorted) of equal keys, some at a time."""
    order = np.argsort(keys, kind="stable")  # searching in order is searching in the cache
    left = np.searchsorted(entries, keys[order])
    counts = np.searchsorted(entries, keys[order] | ROW, side="right") - left
    hits = np.flatnonzero(counts)
    texts, left, counts = order[hits], left[hits], counts[hits]
    ends = np.cumsum(counts)
    start = 0
    while start < len(texts):
        stop = max(start + 1, int(np.searchsorted(ends, ends[start] - counts[start] + PAIRS)))
        equal = counts[start:stop]  # entries of each key
        within = np.arange(equal.sum()) - np.repeat(np.cumsum(equal) - equal, equal)
        yield np.repeat(texts[start:stop], equal), np.repeat(left[start:stop], equal) + within
        start = stop

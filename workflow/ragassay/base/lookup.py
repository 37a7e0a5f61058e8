"""Rows of large tables by question, compactly in memory: for what reads all other tables one shard at a time."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa


class Lookup:
    """Rows by the id in one of their columns; each id has one row."""

    def __init__(self, pieces: Iterable[pa.Table], name: str = "question_id"):
        ids, rows = [np.array([], "S1")], []
        for piece in pieces:
            ids.append(np.array(piece[name].cast(pa.binary()).to_pylist(), "S"))
            rows.append(piece.drop_columns(name))
        ids = np.concatenate(ids)
        order = np.argsort(ids)
        self._ids = ids[order]
        self._rows = pa.concat_tables(rows).combine_chunks().take(pa.array(order)) if len(ids) else None

    def of(self, wanted: list[str]) -> dict[str, dict]:
        """The rows of these ids, without the id, as far as there are some."""
        if self._rows is None:
            return {}
        names = np.array([name.encode() for name in wanted], "S")
        places = np.minimum(np.searchsorted(self._ids, names), len(self._ids) - 1)
        there = np.flatnonzero(self._ids[places] == names)
        rows = self._rows.take(pa.array(places[there])).to_pylist()
        return {wanted[at]: row for at, row in zip(there, rows, strict=True)}

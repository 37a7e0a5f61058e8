"""What one pass over a table file leaves behind, so that nothing reads the file for it again: rows, logical digest,
empty cells of each column, and the distinct values of some columns.
"""

from collections import Counter
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.release.verification.digests import LogicalDigest


class FilePass:
    """`add` every batch of a file in its order; `watched` names the columns whose distinct values are wanted."""

    def __init__(self, schema: pa.Schema, watched: Iterable[str] = ()):
        self.digest, self.missing = LogicalDigest(schema), Counter()
        self._values = {name: [pa.nulls(0, schema.field(name).type)] for name in watched if name in schema.names}

    @property
    def rows(self) -> int:
        return self.digest.rows

    def add(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """The distinct values of the watched columns of this batch."""
        self.digest.add(batch)
        self.missing.update({name: batch[name].null_count for name in batch.schema.names})
        distinct = {name: batch[name].unique() for name in self._values}
        for name, values in distinct.items():
            self._values[name].append(values)
        return distinct

    def distinct(self, column: str) -> pa.Array:
        """The values of a watched column, each once, without missing ones; none where the file has no such column."""
        pieces = self._values.get(column)
        return pc.drop_null(pa.chunked_array(pieces).unique()) if pieces else pa.nulls(0, pa.string())

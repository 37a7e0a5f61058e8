"""Tables of neighbours: from positions to rows, and merging those of several corpora. Scores nothing."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from ragassay import tables
from ragassay.retrieval.nearest import best_of_sparse
from ragassay.schemas.neighbours import NEIGHBOURS

TOGETHER = 4096  # queries whose rows are made at once
SCORED = 256  # queries that are scored against all passages of a sparse index at once
ORDER = [("query_id", "ascending"), ("score", "descending"), ("passage_id", "ascending")]


def rows(query_ids: list[str], passage_ids: pa.ChunkedArray, positions: np.ndarray, scores: np.ndarray) -> pa.Table:
    """The rows of some queries; `positions` and `scores` are queries x ranks, best first."""
    count, width = positions.shape
    return pa.table(
        {
            "query_id": pa.array(query_ids, pa.string()).take(pa.array(np.repeat(np.arange(count), width))),
            "rank": pa.array(np.tile(np.arange(1, width + 1, dtype=np.int32), count)),
            "passage_id": passage_ids.take(pa.array(positions.ravel())),
            "score": pa.array(scores.ravel()),
        },
        schema=NEIGHBOURS.schema,
    )


def write(
    path, query_ids: Sequence[str], passage_ids: pa.ChunkedArray, positions: np.ndarray, scores: np.ndarray
) -> None:
    """The table of what `nearest` found."""
    with tables.Writer(NEIGHBOURS, path) as writer:
        for start in range(0, len(query_ids), TOGETHER):
            own = slice(start, start + TOGETHER)
            writer.write(rows(query_ids[own], passage_ids, positions[own], scores[own]))


def of_sparse(index, query_ids: list[str], texts: list[str], passage_ids, count: int) -> Iterator[pa.Table]:
    """The rows of some queries at a time, from what BM25 says; a query that shares no word with any has none."""
    for start in range(0, len(texts), SCORED):
        best = best_of_sparse(index.scores(texts[start : start + SCORED]), count)
        pairs = zip(query_ids[start : start + SCORED], best, strict=True)
        yield pa.concat_tables(
            [rows([name], passage_ids, positions[None], scores[None]) for name, (positions, scores) in pairs]
        )


def merged(rankings: list[pa.Table], count: int) -> pa.Table:
    """The best `count` of each query out of several corpora that were searched apart, with new ranks. Their passages
    have different ids.
    """
    together = pa.concat_tables(rankings).sort_by(ORDER)
    names = together["query_id"].combine_chunks().dictionary_encode().indices.to_numpy(zero_copy_only=False)
    at = np.arange(len(names))
    starts = np.flatnonzero(np.diff(names, prepend=-1))
    ranks = at - np.repeat(starts, np.diff(np.append(starts, len(names)))) + 1
    place = together.column_names.index("rank")
    together = together.set_column(place, NEIGHBOURS.schema.field("rank"), pa.array(ranks.astype(np.int32)))
    return together.filter(pa.array(ranks <= count))

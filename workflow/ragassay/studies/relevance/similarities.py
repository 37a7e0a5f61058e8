"""Similarities of queries to their nearest passages, as arrays: from tables of neighbours, with and without the
passages of a query's own documents.

A query may have fewer neighbours than others: BM25 finds only passages that share a word with it. A passage that it
does not find has the score 0, which is what BM25 gives it.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.schemas.corpora import NEIGHBOURS


class SimilarityError(AssayError):
    """There are too few neighbours for the statistics."""


class Similarities(NamedTuple):
    """What queries found, best first. Where a query found fewer passages than others, the score is 0 and the passage
    -1.
    """

    scores: np.ndarray  # queries x depth
    passages: np.ndarray  # queries x depth, places in the list of passages

    @property
    def found(self) -> np.ndarray:
        """How many passages each query found."""
        return (self.passages >= 0).sum(axis=1)


def read(neighbours, query_ids: list[str], passage_ids: pa.ChunkedArray | pa.Array) -> Similarities:
    """The neighbours of some queries, in their order."""
    rows = tables.read(NEIGHBOURS, neighbours)
    at = pa.compute.index_in(rows["query_id"], pa.array(query_ids, pa.string()))
    rows = rows.set_column(0, "at", at).filter(pa.compute.is_valid(at))
    places = pa.compute.index_in(rows["passage_id"], passage_ids)
    if places.null_count:
        unknown = rows["passage_id"].filter(pa.compute.is_null(places))[0].as_py()
        raise SimilarityError(
            f"{neighbours}: found the passage {unknown!r}, which the corpus does not have; search again"
        )
    queries, ranks = rows["at"].to_numpy(), rows["rank"].to_numpy() - 1
    shape = len(query_ids), int(ranks.max(initial=-1)) + 1
    scores, passages = np.zeros(shape), np.full(shape, -1)
    scores[queries, ranks], passages[queries, ranks] = rows["score"].to_numpy(), places.to_numpy()
    return Similarities(scores, passages)


def nearest(found: Similarities, k: int, passages: int, where: str) -> np.ndarray:
    """queries x k scores; `passages` is the size of the corpus that was searched, and `where` names it in messages."""
    if passages < k:
        raise SimilarityError(
            f"{where}: found {passages} passages, expected at least k = {k}; add passages, or lower relevance.k and"
            " relevance.ks"
        )
    if not np.isfinite(found.scores).all():
        raise SimilarityError(f"{where}: found a score that is no finite number; check the vectors")
    missing = max(k - found.scores.shape[1], 0)
    return np.pad(found.scores, ((0, 0), (0, missing)))[:, :k]


def without_own(found: Similarities, clusters: np.ndarray, own: list[set[int]], k: int, where: str) -> Similarities:
    """The same queries as if their own documents were not in the corpus. `clusters` is the cluster of near-duplicate
    documents of each passage, `own` are those of each query.
    """
    named = np.where(found.passages >= 0, clusters[found.passages], -1)
    pairs = zip(named, own, strict=True)
    mine = np.array([np.isin(row, list(documents)) for row, documents in pairs]).reshape(named.shape)
    order = np.argsort(mine, axis=1, kind="stable")
    gone = np.take_along_axis(mine, order, axis=1)
    scores, passages = (np.take_along_axis(part, order, axis=1) for part in found)
    left = Similarities(np.where(gone, 0.0, scores), np.where(gone, -1, passages))
    cut = (found.found == found.scores.shape[1]) & (
        left.found < min(k, len(clusters) - mine.sum(axis=1).max(initial=0))
    )
    if cut.any():
        raise SimilarityError(
            f"{where}: found {left.found[cut].min()} neighbours beside those of a query's own document, expected"
            f" relevance.k = {k}; set a higher retrieval.neighbours"
        )
    return left

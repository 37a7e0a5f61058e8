"""The queries of a set with the passages that each retriever found for them, and the documents that they are about. A
corpus is seen as clusters of near-duplicate documents: whatever is masked, held out or split goes by clusters. A
passage that BM25 does not find has the score 0, which is what BM25 gives it."""

import copy
import functools
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ragassay.base import chance, tables
from ragassay.base.errors import AssayError
from ragassay.schemas.corpora import HELD_OUT_DOCUMENTS, NEIGHBOURS, PASSAGES, QUERIES

HELD_OUT, NEAR, FAR = "held out", "near", "far"
FITTING = 1 / 3  # the share of clusters in the fitting part


class SimilarityError(AssayError):
    """There are too few neighbours for the statistics."""


def fractions(purpose: str, keys) -> np.ndarray:
    """A number from 0 to 1 for each key, which depends on the purpose and on nothing else."""
    numbers = np.fromiter((_number(str(key)) for key in keys), np.uint64, len(keys)) ^ np.uint64(_number(purpose))
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):  # the last steps of splitmix64
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * np.uint64(factor)
    return (numbers ^ (numbers >> np.uint64(31))) / 2.0**64


@functools.lru_cache(maxsize=100_000)
def _number(text):
    return chance.number("relevance", text)


def fits(keys) -> np.ndarray:
    """Whether queries with these keys are in the fitting part."""
    return fractions("fitting", keys) < FITTING


class Similarities(NamedTuple):
    """What queries found, best first; where a query found fewer passages, the score is 0 and the passage -1."""

    scores: np.ndarray  # queries x depth
    passages: np.ndarray  # queries x depth, places in the list of passages

    @property
    def found(self) -> np.ndarray:
        """How many passages each query found."""
        return (self.passages >= 0).sum(axis=1)


def read_neighbours(neighbours, query_ids: list[str], passage_ids: pa.ChunkedArray | pa.Array) -> Similarities:
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


def nearest(hits: Similarities, k: int, passages: int, where: str) -> np.ndarray:
    """queries x k scores; `passages` is the size of the corpus that was searched, and `where` names it in messages."""
    if passages < k:
        raise SimilarityError(
            f"{where}: found {passages} passages, expected at least k = {k}; add passages, or lower relevance.k and"
            " relevance.ks"
        )
    if not np.isfinite(hits.scores).all():
        raise SimilarityError(f"{where}: found a score that is no finite number; check the vectors")
    missing = max(k - hits.scores.shape[1], 0)
    return np.pad(hits.scores, ((0, 0), (0, missing)))[:, :k]


def of_documents(hits: Similarities, clusters: np.ndarray, sources: list) -> np.ndarray:
    """queries x depth: whether each passage belongs to one of the documents that the query is about."""
    pairs = zip(clusters[hits.passages], sources, strict=True)
    same = np.array([np.isin(row, list(documents)) for row, documents in pairs], bool)
    return same.reshape(hits.passages.shape) & (hits.passages >= 0)


def without_own(hits: Similarities, clusters: np.ndarray, sources: list[set[int]], k: int, where: str) -> Similarities:
    """What queries find if their own documents are not in the corpus. `clusters` is the cluster of near-duplicate
    documents of each passage, `sources` are those that each query is about.
    """
    mine = of_documents(hits, clusters, sources)
    left = dropped(hits, mine)
    cut = (hits.found == hits.scores.shape[1]) & (left.found < min(k, len(clusters) - mine.sum(axis=1).max(initial=0)))
    if cut.any():
        raise SimilarityError(
            f"{where}: found {left.found[cut].min()} neighbours beside those of a query's own document, expected"
            f" relevance.k = {k}; set a higher retrieval.neighbours"
        )
    return left


def dropped(hits: Similarities, gone: np.ndarray) -> Similarities:
    """The rest of what queries found, best first; `gone` are queries x depth."""
    order = np.argsort(gone, axis=1, kind="stable")
    gone = np.take_along_axis(gone, order, axis=1)
    scores, passages = (np.take_along_axis(part, order, axis=1) for part in hits)
    return Similarities(np.where(gone, 0.0, scores), np.where(gone, -1, passages))


class DocumentClusters:
    """The cluster that each passage and each query belongs to; `passages` and `documents` are the whole corpus."""

    def __init__(self, passages, documents):
        columns = tables.read(HELD_OUT_DOCUMENTS, documents).to_pydict()
        numbers = {name: at for at, name in enumerate(columns["document_id"])}
        self.names = columns["document_id"]  # a cluster is called like its first document
        self._cluster = {name: numbers[first] for name, first in zip(numbers, columns["cluster_id"], strict=True)}
        self.held_out = {self._cluster[name] for name, out in zip(numbers, columns["held_out"], strict=True) if out}
        documents = self._read(passages)
        self._document = dict(zip(self.passage_ids.to_pylist(), documents, strict=True))

    def without_held_out(self, passages) -> "DocumentClusters":
        """The corpus as `passages` has it, which lacks what is held out; queries name that all the same."""
        reduced = copy.copy(self)
        reduced._read(passages)
        return reduced

    def _read(self, passages):
        """The passages that are searched; gives the document of each."""
        rows = tables.read(PASSAGES, passages, ["passage_id", "document_id"])
        documents = rows["document_id"].to_pylist()
        self.passage_ids = rows["passage_id"]
        self.clusters = np.array([self._cluster[name] for name in documents], int)  # of each passage
        return documents

    def __len__(self):
        return len(self.passage_ids)

    def about(self, query: dict) -> list[int]:
        """The clusters of the documents that a row of queries is about, as far as the whole corpus has them."""
        documents = (name if name in self._cluster else self._document.get(name) for name in named(query))
        return list(dict.fromkeys(self._cluster[name] for name in documents if name is not None))


def named(query: dict) -> list[str]:
    """The passages and documents that a row of queries says it is about."""
    judged = query["relevant"] or []
    grades = query["grades"] or [1] * len(judged)
    names = [query["passage_id"], *(name for name, grade in zip(judged, grades, strict=True) if grade > 0)]
    return [name for name in names if name is not None]


class SearchedQueries(NamedTuple):
    """The queries of a set, and what each retriever found for them in one corpus."""

    name: str
    ids: np.ndarray
    keys: np.ndarray  # of the document that each is about, or of its own if that is unknown
    documents: list[list[int]]  # the clusters of documents that each is about
    neighbours: dict[str, Similarities]  # by each retriever
    corpus: DocumentClusters

    def part(self, mask: np.ndarray, name: str = "") -> "SearchedQueries":
        """Some of the queries."""
        documents = [clusters for clusters, chosen in zip(self.documents, mask, strict=True) if chosen]
        neighbours = {
            retriever: Similarities(*(array[mask] for array in arrays)) for retriever, arrays in self.neighbours.items()
        }
        return SearchedQueries(name or self.name, self.ids[mask], self.keys[mask], documents, neighbours, self.corpus)

    def nearest(self, retriever: str, k: int) -> np.ndarray:
        """queries x k similarities."""
        return nearest(self.neighbours[retriever], k, len(self.corpus), f"{self.name}, {retriever}")

    def masked(self, retriever: str, k: int) -> np.ndarray:
        """queries x k similarities if the documents that each query is about are not in the corpus."""
        where = f"{self.name}, {retriever}"
        left = without_own(self.neighbours[retriever], self.corpus.clusters, self.documents, k, where)
        return nearest(left, k, len(self.corpus), where)

    def without(self, out: np.ndarray, mask: np.ndarray) -> "SearchedQueries":
        """Some of the queries, as if these clusters were not in the corpus; see `reaches`."""
        part = self.part(mask)
        gone = np.isin(self.corpus.clusters, out)
        neighbours = {name: dropped(hits, gone[hits.passages]) for name, hits in part.neighbours.items()}
        return part._replace(neighbours=neighbours)

    def reaches(self, k: int, retriever: str, outs: list[np.ndarray]) -> np.ndarray:
        """Whether each query found k passages that belong neither to its own documents nor to clusters that are out, by
        each list of these; or all passages that it can find.
        """
        hits, clusters = self.neighbours[retriever], self.corpus.clusters
        others = ~of_documents(hits, clusters, self.documents) & (hits.passages >= 0)
        left = [(others & ~np.isin(clusters, out)[hits.passages]).sum(axis=1) for out in outs]
        return (np.min(left, axis=0) >= k) | (hits.found < hits.scores.shape[1])

    def recall(self, retriever: str, k: int) -> np.ndarray:
        """Whether each query found a document that it is about among k passages; NaN if none is known."""
        first = of_documents(self.neighbours[retriever], self.corpus.clusters, self.documents)[:, :k].any(axis=1)
        return np.where([bool(documents) for documents in self.documents], first, np.nan)


def read(name: str, queries, neighbours: dict, corpus: DocumentClusters) -> SearchedQueries:
    """`neighbours` is the file of each retriever."""
    rows = tables.read(QUERIES, queries).to_pylist()
    ids, clusters = [row["query_id"] for row in rows], [corpus.about(row) for row in rows]
    keys = [
        f"document {corpus.names[first[0]]}" if first else f"query {name} {query}"
        for query, first in zip(ids, clusters, strict=True)
    ]
    hits = {retriever: read_neighbours(path, ids, corpus.passage_ids) for retriever, path in neighbours.items()}
    return SearchedQueries(name, np.array(ids), np.array(keys), clusters, hits, corpus)


def held_out(asked: SearchedQueries) -> tuple[SearchedQueries, SearchedQueries]:
    """The queries of a set that was searched without the documents that are held out: those about some document that is
    left, and those about none. Queries about unknown documents are neither, nor are held-out ones of the fitting part.
    """
    name, left = of_held_out(asked.name), is_left(asked)
    gone = np.array([bool(documents) for documents in asked.documents], bool) & ~left
    return asked.part(left, name), asked.part(gone & ~fits(asked.keys), name)


def still_near(left: SearchedQueries, gone: SearchedQueries, retriever: str) -> np.ndarray:
    """Whether each held-out query has a passage as near as half of the in-knowledge queries have. Many that do
    are still answered, by documents that the queries should have named, too.
    """
    best, of_gone = (asked.nearest(retriever, 1)[:, 0] for asked in (left, gone))
    return of_gone >= np.median(best)


def of_held_out(query_set: str) -> str:
    """The name that a query set has among queries about what is held out."""
    return f"{query_set}, {HELD_OUT}"


def is_left(asked: SearchedQueries) -> np.ndarray:
    """Whether each query is about a document that is not held out."""
    return np.array([not set(documents) <= asked.corpus.held_out for documents in asked.documents], bool)

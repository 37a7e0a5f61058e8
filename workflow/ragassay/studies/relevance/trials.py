"""A trial: in-knowledge queries against a set of out-of-knowledge queries, divided into parts, run after run.

The fitting part (a third of the documents) fits and chooses; in each run, one half of the others calibrates and the
other half is tested against as many out-of-knowledge queries, which do nothing else. Statistics are arrays of queries,
or of queries x runs where they depend on the calibration; the in-knowledge queries come first.
"""

from typing import NamedTuple

import numpy as np

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.schemas.corpora import QUERIES
from ragassay.studies.relevance import calibration, partition, similarities
from ragassay.studies.relevance.document_clusters import DocumentClusters
from ragassay.studies.relevance.similarities import Similarities

FEW = 100  # queries below which a set is called small
HELD_OUT, NEAR, FAR = "held out", "near", "far"
TRUE, SYNTHETIC, CORPUS = "in-knowledge", "synthetic", "corpus"  # what something was fitted on or calibrated with


class TrialError(AssayError):
    """A set of queries is too small for a trial."""


class Asked(NamedTuple):
    """The queries of a set, and what each retriever found for them in one corpus."""

    name: str
    ids: np.ndarray
    keys: np.ndarray  # of the document that each is about, or of its own if that is unknown
    own: list[list[int]]  # the clusters of documents that each is about
    found: dict[str, Similarities]
    corpus: DocumentClusters

    def part(self, mask: np.ndarray, name: str = "") -> "Asked":
        """Some of the queries."""
        own = [clusters for clusters, chosen in zip(self.own, mask, strict=True) if chosen]
        found = {
            retriever: Similarities(*(array[mask] for array in arrays)) for retriever, arrays in self.found.items()
        }
        return Asked(name or self.name, self.ids[mask], self.keys[mask], own, found, self.corpus)

    def nearest(self, retriever: str, k: int) -> np.ndarray:
        """queries x k similarities."""
        return similarities.nearest(self.found[retriever], k, len(self.corpus), f"{self.name}, {retriever}")

    def masked(self, retriever: str, k: int) -> np.ndarray:
        """The same as if the documents that each query is about were not in the corpus."""
        where = f"{self.name}, {retriever}"
        left = similarities.without_own(self.found[retriever], self.corpus.clusters, self.own, k, where)
        return similarities.nearest(left, k, len(self.corpus), where)

    def recall(self, retriever: str, k: int) -> np.ndarray:
        """Whether each query found a document that it is about among k passages; NaN if none is known."""
        passages = self.found[retriever].passages[:, :k]
        clusters = np.where(passages >= 0, self.corpus.clusters[passages], -1)
        pairs = zip(clusters, self.own, strict=True)
        return np.array([np.isin(row, own).any() if own else np.nan for row, own in pairs], float)


def read(name: str, queries, neighbours: dict, corpus: DocumentClusters) -> Asked:
    """`neighbours` is the file of each retriever."""
    rows = tables.read(QUERIES, queries).to_pylist()
    ids, own = [row["query_id"] for row in rows], [corpus.about(row) for row in rows]
    keys = [
        f"document {corpus.names[one[0]]}" if one else f"query {name} {query}"
        for query, one in zip(ids, own, strict=True)
    ]
    found = {retriever: similarities.read(path, ids, corpus.passage_ids) for retriever, path in neighbours.items()}
    return Asked(name, np.array(ids), np.array(keys), own, found, corpus)


def held_out(known: Asked) -> tuple[Asked, Asked]:
    """The queries of a set that was searched without the documents that are held out: those about some document that is
    left, and those about none. Queries about unknown documents are neither, nor are held-out ones of the fitting part.
    """
    name, left = of_held_out(known.name), is_left(known)
    gone = np.array([bool(own) for own in known.own], bool) & ~left
    return known.part(left, name), known.part(gone & ~partition.fits(known.keys), name)


def of_held_out(query_set: str) -> str:
    """The name that a query set has among queries about what is held out."""
    return f"{query_set}, {HELD_OUT}"


def is_left(asked: Asked) -> np.ndarray:
    """Whether each query is about a document that is not held out."""
    return np.array([not set(own) <= asked.corpus.held_out for own in asked.own], bool)


class Trial:
    """`size` is the number of queries of each kind that a run tests, and that it calibrates with; fewer if there are
    not as many.
    """

    def __init__(self, known: Asked, unknown: Asked, kind: str, runs: int, size: int):
        for asked in (known, unknown):
            if len(asked.ids) < 2:
                raise TrialError(
                    f"query set {asked.name}: found {len(asked.ids)} queries, expected at least 2; add queries, or take"
                    " the set out of relevance.sets"
                )
        self.known, self.unknown, self.kind = known, unknown, kind
        self.positive = np.repeat([False, True], [len(known.ids), len(unknown.ids)])
        self.keys = np.concatenate([known.keys, unknown.keys])
        self.fitting = np.where(self.positive, False, partition.fits(self.keys))
        self.calibrating = np.zeros((len(self.keys), runs), bool)
        self.tested = np.zeros((len(self.keys), runs), bool)
        names = np.concatenate([known.ids, unknown.ids])
        for run in range(runs):
            others = ~self.fitting & ~self.positive
            calibrating = others & partition.calibrates(self.keys, run)
            candidates = others & ~calibrating
            count = min(size, candidates.sum(), len(unknown.ids))
            self.calibrating[:, run] = partition.sample(calibrating, size, run, names)
            for own in (candidates, self.positive):
                self.tested[:, run] |= partition.sample(own, count, run, names)
        if not self.tested.any(axis=0).all() or not self.fitting.any():
            raise TrialError(
                f"query set {known.name}: found {len(known.ids)} queries about {len(set(known.keys))} documents, too"
                " few to fit, calibrate and test with different ones; add queries"
            )

    @property
    def queries(self) -> str:
        """How many out-of-knowledge queries there are."""
        count = len(self.unknown.ids)
        return f"{count}, few" if count < FEW else str(count)

    def nearest(self, retriever: str, k: int) -> np.ndarray:
        """queries x k similarities of all."""
        return np.concatenate([asked.nearest(retriever, k) for asked in (self.known, self.unknown)])

    def by_run(self, values) -> np.ndarray:
        """Statistics as queries x runs."""
        values = np.asarray(values, float)
        return np.broadcast_to(values[:, None], self.tested.shape) if values.ndim == 1 else values

    def combined(self, name: str, scores: np.ndarray, mode: str) -> np.ndarray:
        """Fisher or Simes, queries x runs: those that calibrate are compared with each other."""
        found = np.empty(self.tested.shape)
        for run, calibrating in enumerate(self.calibrating.T):
            if not calibrating.any():
                found[:, run] = np.nan
                continue
            own, found[:, run] = calibration.combined(name, scores[calibrating], scores, mode)
            found[calibrating, run] = own
        return found

    def rejected(self, values, alpha: float, mode: str, reference=None) -> np.ndarray:
        """Whether each query is rejected in each run, calibrated by its calibrating queries or by a `reference` of
        other statistics, runs x queries. NaN where there are too few to reject any.
        """
        values = self.by_run(values)
        found = np.full(values.shape, np.nan)
        for run, calibrating in enumerate(self.calibrating.T):
            known = values[calibrating, run] if reference is None else reference[run]
            if len(known) >= calibration.fewest_for(alpha):
                found[:, run] = calibration.rejected(known, values[:, run], alpha, mode)
        return found

"""A corpus as the study needs it: the cluster of near-duplicate documents that each passage and each query belongs to.

Queries are never about a passage alone: whatever is masked, held out or split goes by clusters of documents.
"""

import copy

import numpy as np

from ragassay.base import tables
from ragassay.schemas.corpora import HELD_OUT_DOCUMENTS, PASSAGES


class DocumentClusters:
    """`passages` and `documents` are those of the whole corpus."""

    def __init__(self, passages, documents):
        known = tables.read(HELD_OUT_DOCUMENTS, documents).to_pydict()
        numbers = {name: at for at, name in enumerate(known["document_id"])}
        self.names = known["document_id"]  # a cluster is called like its first document
        self._cluster = {name: numbers[own] for name, own in zip(numbers, known["cluster_id"], strict=True)}
        self.held_out = {self._cluster[name] for name, out in zip(numbers, known["held_out"], strict=True) if out}
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
    found = [query["passage_id"], *(name for name, grade in zip(judged, grades, strict=True) if grade > 0)]
    return [name for name in found if name is not None]

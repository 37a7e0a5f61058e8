"""How well a retriever finds the documents that each query is about: recall, nDCG and the reciprocal rank, as
trec_eval has them: gains are the grades, discounted by the logarithm of the rank. A document is found where the first
of its passages is; its further passages take no rank."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES

DEPTHS, NDCG = (1, 5, 10, 100), 10  # how deep recall and nDCG look


class GoldError(AssayError):
    """Something is said to be relevant that the corpus does not have."""


def documents(passages: Iterable) -> dict[str, str]:
    """passage -> its document, from the tables of a corpus."""
    owners = {}
    for path in passages:
        for batch in tables.batches(PASSAGES, path, ["passage_id", "document_id"]):
            owners |= zip(*batch.to_pydict().values(), strict=True)
    return owners


def relevant(asked, documents: dict[str, str]) -> list[dict[str, int]]:
    """document -> its grade, for each query of a frame: the best grade of its passages, or 1 for the one that the query
    is about. What is named has to be a passage or a document of the corpus.
    """
    names_of_documents = set(documents.values())
    columns = (asked[name] for name in ("query_id", "passage_id", "relevant", "grades"))
    result = []
    for query, passage, names, grades in zip(*columns, strict=True):
        items = [passage] if names is None else list(names)
        best = {}
        for name, grade in zip(items, [1] * len(items) if grades is None else grades, strict=True):
            document = documents.get(name, name)
            if document not in names_of_documents:
                raise GoldError(
                    f"query {query!r}: found {name!r} as relevant, expected a passage or a document of the corpus that"
                    " it is searched in; correct the query set, or search another corpus"
                )
            best[document] = max(int(grade), best.get(document, 0))
        result.append(best)
    return result


def is_known(asked):
    """Whether anything is known to be relevant, for each query of a frame."""
    return asked["passage_id"].notna() | asked["relevant"].map(lambda names: names is not None and len(names) > 0)


def values(
    query_ids: list[str], relevant: list[dict[str, int]], neighbours, documents: dict[str, str]
) -> dict[str, np.ndarray]:
    """metric -> its value for each query; `neighbours` is a file."""
    rows = tables.read(NEIGHBOURS, neighbours, ["query_id", "passage_id"])  # best first
    places = {query: at for at, query in enumerate(query_ids)}
    asked = pa.compute.is_in(rows["query_id"], pa.array(list(places), pa.string()))
    rankings = [{} for _ in places]  # documents in their order
    for query, passage in zip(*rows.filter(asked).to_pydict().values(), strict=True):
        rankings[places[query]][documents.get(passage, passage)] = None
    gains, ideal = grades([list(ranking) for ranking in rankings], relevant)
    recalls = {f"recall_{depth}": recall(gains, ideal, depth) for depth in DEPTHS}
    return recalls | {f"ndcg_{NDCG}": ndcg(gains, ideal, NDCG), "mrr": reciprocal_rank(gains)}


def grades(rankings: list[list[str]], relevant: list[dict[str, int]]) -> tuple[np.ndarray, np.ndarray]:
    """The grades of what each query found, best first, and those of all that is relevant to it, highest first: both
    queries x ranks, filled up with zeros.
    """
    gains = np.zeros((len(rankings), max(map(len, rankings), default=0)))
    for row, names, graded in zip(gains, rankings, relevant, strict=True):
        for name, grade in graded.items() if names else ():
            if grade > 0 and name in names:
                row[names.index(name)] = grade
    ideal = [sorted((grade for grade in graded.values() if grade > 0), reverse=True) for graded in relevant]
    return gains, _filled(ideal)


def recall(gains: np.ndarray, ideal: np.ndarray, depth: int) -> np.ndarray:
    """The share of what is relevant that is among the first `depth`."""
    return _ratio((gains[:, :depth] > 0).sum(axis=1), (ideal > 0).sum(axis=1))


def ndcg(gains: np.ndarray, ideal: np.ndarray, depth: int) -> np.ndarray:
    """The discounted gain of the first `depth`, as a share of the best that there could be."""
    return _ratio(_discounted(gains[:, :depth]), _discounted(ideal[:, :depth]))


def reciprocal_rank(gains: np.ndarray) -> np.ndarray:
    """One by the rank of the first that is relevant; 0 if there is none."""
    if not gains.shape[1]:
        return np.zeros(len(gains))
    first = np.argmax(gains > 0, axis=1)
    return np.where((gains > 0).any(axis=1), 1 / (first + 1), 0.0)


def _discounted(grades):
    return grades @ (1 / np.log2(np.arange(2, grades.shape[1] + 2)))


def _ratio(part, whole):
    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)


def _filled(rows):
    filled = np.zeros((len(rows), max(map(len, rows), default=0)))
    for place, row in enumerate(rows):
        filled[place, : len(row)] = row
    return filled

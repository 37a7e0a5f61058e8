"""Measure how well each retriever finds the document that a question was written for, in scope and out of scope apart.

Recall of the one document, nDCG@10 and the mean reciprocal rank; 95 % intervals by resampled documents, since the
questions of one find or miss it together. That a question is out of scope means that its document has no answer, not
that it is no longer the one to read.
"""

import numpy as np
import pyarrow as pa

from ragassay import tables
from ragassay.metrics import ranking, resampling
from ragassay.schemas.metrics import METRICS, metric
from ragassay.schemas.neighbours import NEIGHBOURS
from ragassay.schemas.queries import QUERIES
from ragassay.scope.votes import IN, OUT
from ragassay.stage import log, run

KINDS = {IN: "in scope", OUT: "out of scope"}
BOTH = "difference"
DEPTHS, NDCG = (1, 5, 10, 100), 10  # how deep recall and nDCG look


def measure_retrieval(queries, neighbours, metrics, retrievers, resamples, seed):
    """`neighbours` has one file for each of the retrievers."""
    asked = [row for row in tables.read(QUERIES, queries).to_pylist() if row["kind"] in KINDS and row["passage_id"]]
    kinds = np.array([row["kind"] for row in asked], str)
    values = {
        (name, what): own
        for name, path in zip(retrievers, neighbours, strict=True)
        for what, own in _values(asked, path).items()
    }
    matrix = np.column_stack(list(values.values()))
    documents = [row["passage_id"] for row in asked]
    means = _means(matrix, kinds, np.ones(len(asked)))
    drawn = (
        [_means(matrix, kinds, weights) for weights in resampling.resamples(documents, resamples, seed)]
        if asked
        else []
    )
    counts = {kind: int((kinds == kind).sum()) for kind in KINDS} | {BOTH: len(asked)}
    found = []
    for column, (retriever, name) in enumerate(values):
        told = {}
        for kind, count in counts.items():
            interval = resampling.interval(one[kind][column] for one in drawn)
            told[kind] = (means[kind][column], count, *interval)
        for kind, shown in KINDS.items():
            found.append(_row("by_kind", {"retriever": retriever, "kind": shown}, name, *told[kind]))
            if name.startswith("recall_"):
                depth = int(name.removeprefix("recall_"))
                at = {"at": f"{retrievers.index(retriever)}.{DEPTHS.index(depth)}", "depth": f"{retriever} {depth}"}
                found.append(_row("recall", at, kind, *told[kind]))
        found.append(_row("difference", {"retriever": retriever}, name, *told[BOTH]))
    tables.write(METRICS, metrics, found)
    for row in found:
        if row["table"] == "by_kind" and row["metric"] == f"ndcg_{NDCG}" and row["n"]:
            log.info("nDCG@%d %s: %.3f of %d questions", NDCG, row["keys"], row["value"], row["n"])


def _values(asked, path):
    """metric -> its value for each query."""
    rows = tables.read(NEIGHBOURS, path, ["query_id", "rank", "passage_id"])
    places = {row["query_id"]: at for at, row in enumerate(asked)}
    known = pa.compute.is_in(rows["query_id"], pa.array(list(places), pa.string()))
    lists = [[] for _ in asked]
    for query, passage in zip(*rows.filter(known).select(["query_id", "passage_id"]).to_pydict().values(), strict=True):
        lists[places[query]].append(passage)
    gains, ideal = ranking.grades(lists, [{row["passage_id"]: 1} for row in asked])
    values = {f"recall_{depth}": ranking.recall(gains, ideal, depth) for depth in DEPTHS}
    return values | {f"ndcg_{NDCG}": ranking.ndcg(gains, ideal, NDCG), "mrr": ranking.reciprocal_rank(gains)}


def _means(matrix, kinds, weights):
    """The means of each column over each kind, and how much they are higher in scope; None of what was not drawn."""
    found = {}
    for kind in KINDS:
        own = weights * (kinds == kind)
        found[kind] = (own @ matrix / own.sum()).tolist() if own.sum() else [None] * matrix.shape[1]
    pairs = zip(found[IN], found[OUT], strict=True)
    return found | {BOTH: [None if None in pair else pair[0] - pair[1] for pair in pairs]}


def _row(table, keys, name, value, n, low=None, high=None):
    return metric("retrieval", table, keys, name, None if value is None else float(value), n, low, high)


if __name__ == "__main__":
    run(measure_retrieval, snakemake)

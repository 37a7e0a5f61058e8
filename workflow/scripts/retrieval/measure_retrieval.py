"""Measure how well each retriever finds the document that a question was written for, in scope and out of scope apart.

That a question is out of scope means that its document has no answer, not that it is no longer the one to read.
"""

import numpy as np

from ragassay import tables
from ragassay.retrieval.measures import DEPTHS, NDCG, means, values
from ragassay.schemas.metrics import METRICS, metric
from ragassay.schemas.queries import QUERIES
from ragassay.scope.votes import IN, OUT
from ragassay.stage import log, run

KINDS = {IN: "in scope", OUT: "out of scope"}
BOTH = (IN, OUT)


def measure_retrieval(queries, neighbours, metrics, retrievers, resamples, seed):
    """`neighbours` has one file for each of the retrievers."""
    asked = [row for row in tables.read(QUERIES, queries).to_pylist() if row["kind"] in KINDS and row["passage_id"]]
    columns = {
        (name, what): own
        for name, path in zip(retrievers, neighbours, strict=True)
        for what, own in values(asked, path).items()
    }
    kinds = {kind: np.array([row["kind"] == kind for row in asked], bool) for kind in KINDS}
    told = means(list(columns.values()), asked, kinds, BOTH, times=resamples, seed=seed)
    found = []
    for column, (retriever, name) in enumerate(columns):
        for kind, shown in KINDS.items():
            found.append(_row("by_kind", {"retriever": retriever, "kind": shown}, name, *told[kind][column]))
            if name.startswith("recall_"):
                depth = int(name.removeprefix("recall_"))
                at = {"at": f"{retrievers.index(retriever)}.{DEPTHS.index(depth)}", "depth": f"{retriever} {depth}"}
                found.append(_row("recall", at, kind, *told[kind][column]))
        found.append(_row("difference", {"retriever": retriever}, name, *told[BOTH][column]))
    tables.write(METRICS, metrics, found)
    for row in found:
        if row["table"] == "by_kind" and row["metric"] == f"ndcg_{NDCG}" and row["n"]:
            log.info("nDCG@%d %s: %.3f of %d questions", NDCG, row["keys"], row["value"], row["n"])


def _row(table, keys, name, value, n, low=None, high=None):
    return metric("retrieval", table, keys, name, None if value is None else float(value), n, low, high)


if __name__ == "__main__":
    run(measure_retrieval, snakemake)

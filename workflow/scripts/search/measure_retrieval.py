"""Measure how well each retriever finds the document that a question was written for, in scope and out of scope apart.

The document of an out-of-scope question has no answer, but it is still the one to find. The user's sets of queries are
measured beside them, in the corpora that the configuration names.
"""

from pathlib import Path

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.metrics.panel import Panel
from ragassay.schemas.corpora import INDEX_RECALL, NEIGHBOURS, QUERIES
from ragassay.schemas.report import METRICS, Section
from ragassay.search import measures
from ragassay.search.measures import DEPTHS, NDCG, values
from ragassay.studies.scope.votes import IN, KINDS, OUT

SECTION = Section("retrieval")


def measure_retrieval(
    queries,
    neighbours,
    passages,
    own_queries,
    own_neighbours,
    own_passages,
    index_recall,
    metrics,
    retrievers,
    resamples,
    seed,
):
    """`neighbours` has one file for each of the retrievers; those of the user are lists of files."""
    documents = measures.documents([passages])
    asked = tables.frame(QUERIES, [queries])
    asked = asked[asked["kind"].isin(list(KINDS)) & asked["passage_id"].notna()]
    wanted = list(asked["query_id"]), measures.relevant(asked, documents)
    columns = {
        (name, what): own
        for name, path in zip(retrievers, neighbours, strict=True)
        for what, own in values(*wanted, path, documents).items()
    }
    kinds = {kind: (asked["kind"] == kind).to_numpy() for kind in KINDS}
    panel = Panel(asked["passage_id"], resamples, seed)  # questions of a document find it together
    estimates = panel.means(np.column_stack(list(columns.values())), kinds)
    difference = estimates[IN].minus(estimates[OUT])
    rows = []
    for column, (retriever, name) in enumerate(columns):
        for kind, shown in KINDS.items():
            rows.append(
                SECTION.row("by_kind", {"retriever": retriever, "kind": shown}, name, **estimates[kind].row(column))
            )
            if name.startswith("recall_"):
                depth = int(name.removeprefix("recall_"))
                at = {"at": f"{retrievers.index(retriever)}.{DEPTHS.index(depth)}", "depth": f"{retriever} {depth}"}
                rows.append(SECTION.row("recall", at, kind, **estimates[kind].row(column)))
        rows.append(SECTION.row("difference", {"retriever": retriever}, name, **difference.row(column)))
    rows += _to_the_first(columns, retrievers, panel)
    for path in own_neighbours:
        rows += _of_set(own_queries, path, own_passages, resamples, seed)
    for path in index_recall:
        rows += _of_index(path, resamples, seed)
    tables.write(METRICS, metrics, rows)
    for row in rows:
        if row["table"] == "by_kind" and row["metric"] == f"ndcg_{NDCG}" and row["n"]:
            log.info("nDCG@%d %s: %.3f of %d questions", NDCG, row["keys"], row["value"], row["n"])


def _to_the_first(columns, retrievers, panel):
    """The rows of the table comparisons: how much more each retriever finds than the first, on the same questions."""
    pairs = [(name, what) for name, what in columns if name != retrievers[0]]
    if not pairs:
        return
    less = [columns[retrievers[0], what] for _, what in pairs]
    more = [columns[pair] for pair in pairs]
    differences = panel.difference(np.column_stack(more) - np.column_stack(less))
    for at, (name, what) in enumerate(pairs):
        keys = {"retriever": name, "than": retrievers[0]}
        yield SECTION.row("comparisons", keys, what, **differences.row(at))


def _of_set(queries, neighbours, passages, resamples, seed):
    """The rows of a set of the user's, searched in a corpus by a retriever."""
    keys = tables.keys(NEIGHBOURS, neighbours)
    own = next(path for path in queries if Path(path).stem == keys["query_set"])
    parts = [path for path in passages if Path(path).stem.partition("+")[0] == keys["corpus"]]
    asked = tables.frame(QUERIES, [own])
    asked, documents = asked[measures.is_known(asked)], measures.documents(parts)
    relevant = measures.relevant(asked, documents)
    columns = values(list(asked["query_id"]), relevant, neighbours, documents)
    best = [max(own, key=own.get) if own else "" for own in relevant]  # questions of a document find it together
    means = Panel(best, resamples, seed).mean(np.column_stack(list(columns.values())))
    return [SECTION.row("sets", keys, name, **means.row(at)) for at, name in enumerate(columns)]


def _of_index(path, resamples, seed):
    """The rows of what an index finds of what an exact search does."""
    counts = tables.frame(INDEX_RECALL, [path])
    shares = (counts["shared"] / counts["of"]).groupby([counts["query_id"], counts["depth"]]).first().unstack()
    if shares.empty:
        return []
    means = Panel(list(shares.index), resamples, seed).mean(shares.to_numpy())
    keys = tables.keys(INDEX_RECALL, path)
    return [SECTION.row("indexes", keys, f"recall_{depth}", **means.row(at)) for at, depth in enumerate(shares)]


if __name__ == "__main__":
    run(measure_retrieval, snakemake)

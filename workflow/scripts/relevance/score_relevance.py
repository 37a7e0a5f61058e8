"""The statistics of each query: how far outside of what the corpus knows it seems to be; and what the corpus's gate, if
there is one, says of it. In-knowledge queries are among those that calibrated the gate, so that it knows them a little.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES, QUERIES
from ragassay.schemas.relevance import QUERY_VERDICTS, RELEVANCE_SCORES
from ragassay.services.gate import Gate
from ragassay.studies.relevance import searched_queries
from ragassay.studies.relevance.outside import decisions
from ragassay.studies.relevance.statistics import SIMPLE, statistic


def score_relevance(passages, queries, neighbours, gates, relevance_scores, query_verdicts, k, temperature):
    """One table of scores for each table of neighbours, in their order; one of verdicts where there is a gate."""
    corpora = {tables.keys(PASSAGES, path)["corpus"]: path for path in passages}
    asked = {tables.keys(QUERIES, path)["query_set"]: path for path in queries}
    for path, target in zip(neighbours, relevance_scores, strict=True):
        names = tables.keys(NEIGHBOURS, path)
        corpus = tables.read(PASSAGES, corpora[names["corpus"]], ["passage_id"])["passage_id"]
        ids = tables.read(QUERIES, asked[names["query_set"]], ["query_id"])["query_id"]
        hits = searched_queries.read_neighbours(path, ids.to_pylist(), corpus)
        scores = searched_queries.nearest(hits, k, len(corpus), path)
        with tables.Writer(RELEVANCE_SCORES, target) as writer:
            for name in SIMPLE:
                values = statistic(name, scores, temperature)
                columns = {"query_id": ids, "statistic": pa.repeat(name, len(ids)), "value": np.round(values, 9)}
                writer.write(pa.table(columns))
        log.info("%d queries %s in %s", len(ids), names["query_set"], names["corpus"])
    opened = {Path(gate).parts[-2:]: Gate.load(gate) for gate in gates}
    for target in query_verdicts:
        keys = tables.keys(QUERY_VERDICTS, target)
        rows = tables.read(QUERIES, asked[keys["query_set"]], ["query_id", "text"])
        columns = decisions(opened[keys["corpus"], keys["retriever"]], rows["text"])
        tables.write(QUERY_VERDICTS, target, pa.table({"query_id": rows["query_id"]} | columns))
        counts = keys["query_set"], keys["corpus"], int(np.sum(columns["rejected"])), len(rows)
        log.info("gate on %s in %s: %d of %d queries out of knowledge", *counts)


if __name__ == "__main__":
    run(score_relevance, snakemake)

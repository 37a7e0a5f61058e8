"""The statistics of each query: how far outside of what the corpus knows it seems to be. Decides nothing."""

import numpy as np
import pyarrow as pa

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES, QUERIES
from ragassay.schemas.relevance import RELEVANCE_SCORES
from ragassay.studies.relevance import searched_queries
from ragassay.studies.relevance.statistics import SIMPLE, statistic


def score_relevance(passages, queries, neighbours, relevance_scores, k, temperature):
    """One table of scores for each table of neighbours, in their order."""
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


if __name__ == "__main__":
    run(score_relevance, snakemake)

"""Find the best passages of each query by BM25. A passage that shares no word with a query is no neighbour. Synthetic
queries do not find the sentence that they were made from.
"""

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import NONE, Corpus
from ragassay.schemas.corpora import NEIGHBOURS, QUERIES
from ragassay.search.bm25 import Bm25
from ragassay.search.masked_sources import mask
from ragassay.search.neighbours import of_sparse


def search_bm25(passages, queries, neighbours, options, count, copied=0.0):
    """`options` are those of Bm25, and `titles`; `copied` is that of `masked_sources`."""
    corpus = Corpus(passages, options.get("titles", NONE))
    asked = tables.read(QUERIES, queries, ["query_id", "text"]).to_pydict()
    index = Bm25(corpus.texts(), **{key: value for key, value in options.items() if key != "titles"})
    answered = 0
    with tables.Writer(NEIGHBOURS, neighbours) as writer:
        for part in of_sparse(index, asked["query_id"], asked["text"], corpus.ids, count):
            answered += len(part["query_id"].unique())
            writer.write(part)
    mask(neighbours, queries, passages, options.get("titles", NONE), lambda *pairs: _scores(index, *pairs), copied)
    queries, alone = len(asked["text"]), len(asked["text"]) - answered
    log.info("%d queries in %d passages, %d of them share no word with any", queries, len(corpus.ids), alone)


def _scores(index, queries, texts):
    scores = index.paired(queries, texts)
    return np.where(scores > 0, scores, np.nan)


if __name__ == "__main__":
    run(search_bm25, snakemake)

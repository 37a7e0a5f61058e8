"""Find the best passages of each query by BM25. A passage that shares no word with a query is no neighbour. Synthetic
queries do not find the sentence that they were made from.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import NONE, Corpus
from ragassay.schemas.corpora import QUERIES
from ragassay.search import bm25
from ragassay.search.masked_sources import mask
from ragassay.search.neighbours import write


def search_bm25(passages, queries, neighbours, options, count, copied=0.0):
    """`options` are those of Bm25, and `titles`; `copied` is that of `masked_sources`."""
    options = dict(options)
    titles = options.pop("titles", NONE)
    corpus, asked = Corpus(passages, titles), tables.read(QUERIES, queries, ["query_id", "text"]).to_pydict()
    best, frequencies = bm25.best_at_once(corpus.blocks(), asked["text"], count, **options)
    write(neighbours, asked["query_id"], corpus.ids, best)
    mask(neighbours, queries, [passages], titles, bm25.pairs(frequencies, **options), copied)
    alone = sum(not len(positions) for positions, _ in best)
    log.info("%d queries in %d passages, %d of them share no word with any", len(best), len(corpus.ids), alone)


if __name__ == "__main__":
    run(search_bm25, snakemake)

"""Find the nearest passages of each query by their vectors, exactly, all passages streaming by.

Vectors of a corpus come from the file that `embed_passages` wrote; those of passages without a file, as of a corpus
without its held-out documents, from wherever they are stored. Texts that were embedded for any study are not embedded
again. Synthetic queries do not find the sentence that they were made from.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import Corpus
from ragassay.schemas.corpora import QUERIES
from ragassay.search.masked_sources import mask
from ragassay.search.nearest import nearest
from ragassay.search.neighbours import write
from ragassay.search.vectors import Vectors


def search_dense(
    passages, queries, neighbours, encoder, query_encoder, embeddings, titles, similarity, count, copied=0.0
):
    corpus, vectors = Corpus(passages, titles), Vectors(encoder, query_encoder, embeddings, similarity)
    asked = tables.read(QUERIES, queries, ["query_id", "text"]).to_pydict()
    best = nearest(vectors.of_queries(asked["text"]), vectors.of_corpus(corpus), count)
    write(neighbours, asked["query_id"], corpus.ids, zip(*best, strict=True))
    mask(neighbours, queries, [passages], titles, vectors.scores, copied)
    log.info("%d queries in %d passages, %s", len(asked["text"]), len(corpus.ids), vectors.passages.told)


if __name__ == "__main__":
    run(search_dense, snakemake)

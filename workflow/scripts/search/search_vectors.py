"""Find the nearest passages of each query by vectors that were computed elsewhere, exactly. A passage that repeats the
sentence that a synthetic query was made from cannot be embedded without it, so the query does not find that passage.
"""

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.corpora import corpus
from ragassay.schemas.corpora import QUERIES
from ragassay.search.masked_sources import mask
from ragassay.search.nearest import comparable, nearest
from ragassay.search.neighbours import write
from ragassay.search.vector_files import VectorFiles


def search_vectors(passages, queries, passage_vectors, query_vectors, neighbours, similarity, count):
    """The vectors are lists of files, each found by the ids of both tables."""
    given, wanted = VectorFiles(passage_vectors), VectorFiles(query_vectors)
    ids = corpus.ids(passages)
    asked = tables.read(QUERIES, queries, ["query_id"])["query_id"]
    of_queries = np.concatenate([*wanted.blocks(asked), np.empty((0, wanted.dimensions), np.float32)])
    blocks = (comparable(block, similarity) for block in given.blocks(ids))
    positions, scores = nearest(comparable(of_queries, similarity), blocks, count)
    write(neighbours, asked.to_pylist(), ids, positions, scores)
    mask(neighbours, queries, passages, corpus.NONE, lambda texts, _: np.full(len(texts), np.nan))
    log.info("%d queries in %d passages", len(asked), len(ids))


if __name__ == "__main__":
    run(search_vectors, snakemake)

"""Find the nearest passages of each query by their vectors, exactly, all passages streaming by.

Vectors come from the store: texts that were embedded for any study are not embedded again, nor are those that
`embed_passages` saw to. Synthetic queries do not find the sentence that they were made from.
"""

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import Corpus
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.corpora import QUERIES
from ragassay.search.masked_sources import mask
from ragassay.search.nearest import comparable, nearest
from ragassay.search.neighbours import write


def search_dense(
    passages, queries, neighbours, encoder, query_encoder, embeddings, titles, similarity, count, copied=0.0
):
    corpus, of_passages = Corpus(passages, titles), Embedder(Encoder(**encoder), embeddings)
    of_queries = of_passages if query_encoder == encoder else Embedder(Encoder(**query_encoder), embeddings)
    asked = tables.read(QUERIES, queries, ["query_id", "text"]).to_pydict()
    wanted = comparable(of_queries.embed(asked["text"], "query"), similarity)
    given = (comparable(block, similarity) for block in of_passages.stream(corpus.texts(), "passage"))
    positions, scores = nearest(wanted, given, count)
    write(neighbours, asked["query_id"], corpus.ids, positions, scores)

    def scores_of(texts, left):
        """Of queries with what is left of passages; of nothing, there is none."""
        pairs = ((of_queries, texts, "query"), (of_passages, left, "passage"))
        vectors = [comparable(own.embed(part, role), similarity).astype(np.float32) for own, part, role in pairs]
        return np.where([bool(text) for text in left], (vectors[0] * vectors[1]).sum(axis=1), np.nan)

    mask(neighbours, queries, passages, titles, scores_of, copied)
    told = [len(wanted), len(corpus.ids), of_passages.told]
    log.info("%d queries in %d passages, %s", *told)


if __name__ == "__main__":
    run(search_dense, snakemake)

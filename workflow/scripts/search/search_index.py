"""Find near passages of each query by an index, score them exactly, and count for some queries how many of the nearest
passages the index missed.
"""

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.corpora.corpus import ids
from ragassay.schemas.corpora import QUERIES
from ragassay.search import indexes, proposals
from ragassay.search.masked_sources import mask
from ragassay.search.vectors import Vectors


def search_index(
    passages,
    queries,
    index,
    neighbours,
    index_recall,
    encoder,
    query_encoder,
    embeddings,
    titles,
    similarity,
    count,
    search,
    checked,
    copied=0.0,
):
    names, vectors = ids(passages), Vectors(encoder, query_encoder, embeddings, similarity)
    asked = tables.read(QUERIES, queries, ["query_id", "text"]).to_pydict()
    wanted = vectors.of_queries(asked["text"])
    loaded = indexes.load(index, names, vectors.passages.encoder.digest, search)
    proposed = indexes.proposed(loaded, wanted, count)
    corpus = names, passages, titles, vectors
    proposals.write(neighbours, index_recall, asked["query_id"], wanted, proposed, *corpus, count, checked)
    mask(neighbours, queries, [passages], titles, vectors.scores, copied)


if __name__ == "__main__":
    run(search_index, snakemake)

"""Find near passages of each query by the index of a vector database that the user runs, score them exactly, and count
for some queries how many of the nearest passages it missed. Nothing is written there.
"""

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.corpora.corpus import ids
from ragassay.schemas.corpora import QUERIES
from ragassay.search import proposals
from ragassay.search.masked_sources import mask
from ragassay.search.vectors import Vectors
from ragassay.services import hits


def search_service(
    passages,
    queries,
    neighbours,
    index_recall,
    encoder,
    query_encoder,
    embeddings,
    titles,
    similarity,
    count,
    collection,
    entry,
    search,
    revision,
    checked,
    ledger,
    copied=0.0,
):
    """`collection` and `entry` are the name and the entry of the configuration."""
    names, vectors = ids(passages), Vectors(encoder, query_encoder, embeddings, similarity)
    asked = tables.read(QUERIES, queries, ["query_id", "text"]).to_pydict()
    wanted = vectors.of_queries(asked["text"])
    same = hits.Search(entry, vectors.queries.encoder.digest, similarity, count, search, revision)
    answers = hits.answers(collection, same, hits.CorpusTexts(passages), asked["text"], wanted, ledger)
    proposed, similarities = np.full((len(wanted), count), -1), np.full((len(wanted), count), np.nan, np.float32)
    for row, (positions, of_positions) in enumerate(answers):
        proposed[row, : len(positions)], similarities[row, : len(positions)] = positions, of_positions
    corpus = names, passages, titles, vectors
    scores = proposals.write(neighbours, index_recall, asked["query_id"], wanted, proposed, *corpus, count, checked)
    hits.check_vectors(collection, scores, similarities, encoder["name"])
    mask(neighbours, queries, [passages], titles, vectors.scores, copied)


if __name__ == "__main__":
    run(search_service, snakemake)

"""Find near passages of each query by an index, score them exactly, and count for some queries how many of the nearest
passages the index missed.
"""

import numpy as np

from ragassay.base import tables
from ragassay.base.chance import lot
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import Corpus, ids
from ragassay.schemas.corpora import INDEX_RECALL, NEIGHBOURS, QUERIES
from ragassay.search import indexes
from ragassay.search import neighbours as rows_of
from ragassay.search.masked_sources import mask
from ragassay.search.measures import DEPTHS
from ragassay.search.nearest import nearest
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
    places = np.unique(proposed[proposed >= 0]).tolist()
    scores = indexes.exact_scores(proposed, wanted, vectors.of_places(passages, titles, places))
    best = [indexes.best(row, of_row, count) for row, of_row in zip(proposed, scores, strict=True)]
    with tables.Writer(NEIGHBOURS, neighbours) as writer:
        for name, (positions, of_positions) in zip(asked["query_id"], best, strict=True):
            writer.write(rows_of.rows([name], names, positions[None], of_positions[None]))
    order = sorted(range(len(wanted)), key=lambda row: lot("index_recall", asked["query_id"][row]))[:checked]
    blocks = vectors.of_passages(Corpus(passages, titles).texts()) if order else ()
    nearby, _ = nearest(wanted[order], blocks, count)
    rows = []
    for row, exact in zip(order, nearby, strict=True):
        for depth in DEPTHS:
            shared = len({*best[row][0][:depth]} & {*exact[:depth]})
            rows.append(
                {"query_id": asked["query_id"][row], "depth": depth, "shared": shared, "of": len(exact[:depth])}
            )
    tables.write(INDEX_RECALL, index_recall, rows)
    mask(neighbours, queries, [passages], titles, vectors.scores, copied)
    log.info("%d queries in %d passages by an index, %d of them exactly as well", len(wanted), len(names), len(order))


if __name__ == "__main__":
    run(search_index, snakemake)

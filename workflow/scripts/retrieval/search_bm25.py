"""Find the best passages of each query by BM25. One that shares no word with a query is no neighbour."""

import pyarrow as pa

from ragassay import tables
from ragassay.encoders.bm25 import Bm25
from ragassay.retrieval.neighbours import rows
from ragassay.retrieval.top import best_of_sparse
from ragassay.schemas.neighbours import NEIGHBOURS
from ragassay.schemas.passages import PASSAGES
from ragassay.schemas.queries import QUERIES
from ragassay.stage import log, run

TOGETHER = 256  # queries that are scored against all passages at once


def search_bm25(passages, queries, neighbours, count):
    corpus = tables.read(PASSAGES, passages, ["passage_id", "text"])
    asked = tables.read(QUERIES, queries, ["query_id", "text"]).to_pydict()
    index, names = Bm25(corpus["text"].to_pylist()), corpus["passage_id"]
    with tables.Writer(NEIGHBOURS, neighbours) as writer:
        for start in range(0, len(asked["text"]), TOGETHER):
            found = best_of_sparse(index.scores(asked["text"][start : start + TOGETHER]), count)
            own = asked["query_id"][start : start + TOGETHER]
            parts = [
                rows([name], names, positions[None], scores[None])
                for name, (positions, scores) in zip(own, found, strict=True)
            ]
            writer.write(pa.concat_tables(parts))
    log.info("%d queries in %d passages", len(asked["text"]), len(names))


if __name__ == "__main__":
    run(search_bm25, snakemake)

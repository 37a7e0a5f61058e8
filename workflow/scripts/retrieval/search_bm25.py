"""Find the best passages of each query by BM25. A passage that shares no word with a query is no neighbour."""

import pyarrow as pa

from ragassay import tables
from ragassay.encoders.bm25 import Bm25
from ragassay.retrieval.corpus import NONE, Corpus
from ragassay.retrieval.nearest import best_of_sparse
from ragassay.retrieval.neighbours import rows
from ragassay.schemas.neighbours import NEIGHBOURS
from ragassay.schemas.queries import QUERIES
from ragassay.stage import log, run

TOGETHER = 256  # queries that are scored against all passages at once


def search_bm25(passages, queries, neighbours, options, count):
    """`options` are those of Bm25, and `titles`."""
    corpus = Corpus(passages, options.get("titles", NONE))
    asked = tables.read(QUERIES, queries, ["query_id", "text"]).to_pydict()
    index = Bm25(corpus.texts(), **{key: value for key, value in options.items() if key != "titles"})
    names, alone = corpus.ids, 0
    with tables.Writer(NEIGHBOURS, neighbours) as writer:
        for start in range(0, len(asked["text"]), TOGETHER):
            found = best_of_sparse(index.scores(asked["text"][start : start + TOGETHER]), count)
            own = asked["query_id"][start : start + TOGETHER]
            parts = [
                rows([name], names, positions[None], scores[None])
                for name, (positions, scores) in zip(own, found, strict=True)
            ]
            alone += sum(not part.num_rows for part in parts)
            writer.write(pa.concat_tables(parts))
    log.info("%d queries in %d passages, %d of them share no word with any", len(asked["text"]), len(names), alone)


if __name__ == "__main__":
    run(search_bm25, snakemake)

"""Find the nearest passages of each query by the cosine of their vectors, exactly, all passages streaming by.

Vectors are those of the store: what was embedded for any study is not embedded again, and a new passage costs itself.
"""

from collections import deque

import pyarrow as pa

from ragassay import tables
from ragassay.encoders.embed import Embedder
from ragassay.encoders.encoder import Encoder
from ragassay.encoders.unit import unit
from ragassay.retrieval.neighbours import rows
from ragassay.retrieval.top import nearest
from ragassay.schemas.neighbours import NEIGHBOURS
from ragassay.schemas.passages import PASSAGES
from ragassay.schemas.queries import QUERIES
from ragassay.stage import log, run

TOGETHER = 4096  # queries whose rows are made at once


def search_dense(passages, queries, neighbours, encoder, embeddings, count):
    embedder, ids = Embedder(Encoder(**encoder), embeddings), deque()
    asked = tables.read(QUERIES, queries, ["query_id", "text"]).to_pydict()

    def texts():
        for batch in tables.batches(PASSAGES, passages, ["passage_id", "text"]):
            ids.append(batch["passage_id"])
            yield from batch["text"].to_pylist()

    wanted = unit(embedder.embed(asked["text"], "query"))
    positions, scores = nearest(wanted, map(unit, embedder.stream(texts(), "passage")), count)
    names = pa.chunked_array(list(ids), pa.string())
    with tables.Writer(NEIGHBOURS, neighbours) as writer:
        for start in range(0, len(wanted), TOGETHER):
            own = slice(start, start + TOGETHER)
            writer.write(rows(asked["query_id"][own], names, positions[own], scores[own]))
    told = (len(wanted), len(names), embedder.told)
    log.info("%d queries in %d passages, %s", *told)


if __name__ == "__main__":
    run(search_dense, snakemake)

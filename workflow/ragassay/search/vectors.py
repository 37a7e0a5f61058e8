"""The vectors of queries and passages, as a retriever compares them: out of the store, or computed and stored. And
exact scores of what an index proposes to queries, be it one of FAISS or of a database: a score means the same with an
index and without, and an index costs only the passages that it misses. For some queries these are counted."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as pa

from ragassay.base import tables
from ragassay.base.chance import lot
from ragassay.base.stage import log
from ragassay.corpora.corpus import Corpus, ids
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.models.store import digest
from ragassay.schemas.corpora import INDEX_RECALL, QUERIES
from ragassay.search.masked_sources import mask
from ragassay.search.measures import DEPTHS
from ragassay.search.nearest import comparable, nearest, packed, unpacked
from ragassay.search.neighbours import write

PAIRS = 65_536  # of a query and a passage, scored at once


class Vectors:
    """Those of two encoders, which may be one."""

    def __init__(self, encoder: dict, query_encoder: dict, embeddings, similarity: str):
        self.passages = Embedder(Encoder(**encoder), embeddings)
        same = query_encoder == encoder
        self.queries = self.passages if same else Embedder(Encoder(**query_encoder), embeddings)
        self._similarity = similarity

    def source(self, corpus: Corpus) -> dict:
        """What the vectors of a corpus follow from; `texts` is that of the table embedded_passages."""
        texts = digest(corpus.texts())
        return {"encoder": self.passages.encoder.digest, "similarity": self._similarity, "texts": texts}

    def of_queries(self, texts: list[str]) -> np.ndarray:
        return comparable(self.queries.embed(texts, "query"), self._similarity)

    def of_passages(self, texts: Iterable[str]) -> Iterator[np.ndarray]:
        return (comparable(block, self._similarity) for block in self.passages.stream(texts, "passage"))

    def of_corpus(self, corpus: Corpus) -> Iterator[np.ndarray]:
        """The vectors of all passages, out of the file that has just these, or from wherever they are stored."""
        file = self.passages.file(corpus.texts(), "passage")
        if file is None:
            return self.of_passages(corpus.texts())
        return (comparable(block, self._similarity) for block in file.blocks())

    def of_places(self, passages, titles: str, places: Iterable[int]) -> Iterator[np.ndarray]:
        """The vectors of the passages of a corpus at some positions, these ascending."""
        wanted = {*places}
        return self.of_passages(text for at, text in enumerate(Corpus(passages, titles).texts()) if at in wanted)

    def scores(self, texts: list[str], left: list[str]) -> np.ndarray:
        """Of queries with what is left of passages; of nothing, there is none."""
        passages = comparable(self.passages.embed(left, "passage"), self._similarity).astype(np.float32)
        products = (self.of_queries(texts).astype(np.float32) * passages).sum(axis=1)
        return np.where([bool(text) for text in left], products, np.nan)


def search_proposed(
    propose: Callable[[pa.ChunkedArray, Vectors, list[str], np.ndarray], np.ndarray],
    check: Callable[[np.ndarray], None],
    passages, queries, neighbours, index_recall, encoder, query_encoder, embeddings, titles, similarity, count, checked,
    copied=0.0,
):  # fmt: skip
    """Write both tables: the best of what was proposed to each query, and what was missed of `checked` queries.
    `propose` gets the ids of all passages, the source of vectors, the texts of queries and their vectors, and gives
    positions of passages, -1 where there is none; `check` may refuse the exact scores of these.
    """
    names, vectors = ids(passages), Vectors(encoder, query_encoder, embeddings, similarity)
    query_ids, texts = tables.read(QUERIES, queries, ["query_id", "text"]).to_pydict().values()
    wanted = vectors.of_queries(texts)
    proposed = propose(names, vectors, texts, wanted)
    places = np.unique(proposed[proposed >= 0]).tolist()
    scores = exact_scores(proposed, wanted, vectors.of_places(passages, titles, places))
    check(scores)
    chosen = [best(row, of_row, count) for row, of_row in zip(proposed, scores, strict=True)]
    write(neighbours, query_ids, names, chosen)
    order = sorted(range(len(wanted)), key=lambda row: lot("index_recall", query_ids[row]))[: checked if names else 0]
    blocks = vectors.of_corpus(Corpus(passages, titles)) if order else ()
    nearby, _ = nearest(wanted[order], blocks, count)
    rows = []
    for row, exact in zip(order, nearby, strict=True):
        for depth in DEPTHS:
            shared = len({*chosen[row][0][:depth]} & {*exact[:depth]})
            rows.append({"query_id": query_ids[row], "depth": depth, "shared": shared, "of": len(exact[:depth])})
    tables.write(INDEX_RECALL, index_recall, rows)
    log.info("%d queries in %d passages by an index, %d of them exactly as well", len(wanted), len(names), len(order))
    mask(neighbours, queries, [passages], titles, vectors.scores, copied)


def exact_scores(positions: np.ndarray, queries: np.ndarray, blocks: Iterable[np.ndarray]) -> np.ndarray:
    """The score of each query with each passage that was proposed to it. `blocks` are the vectors of all proposed
    passages, positions ascending; no more than one block of them is held.
    """
    scores, flat = np.full(positions.size, np.nan, np.float32), positions.ravel()
    order = np.argsort(flat, kind="stable")
    order = order[np.searchsorted(flat[order], 0) :]
    places, rows = np.unique(flat[order], return_inverse=True)
    start, offset = 0, 0
    for block in blocks:
        offset += len(block)
        end = np.searchsorted(rows, offset)
        for at in range(start, end, PAIRS):
            some = slice(at, min(at + PAIRS, end))
            pairs = order[some]
            vectors = block[rows[some] - offset + len(block)]
            scores[pairs] = np.einsum("ij,ij->i", vectors, queries[pairs // positions.shape[1]])
        start = end
    assert start == len(order) and offset == len(places)
    return scores.reshape(positions.shape)


def best(positions: np.ndarray, scores: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and scores of the best of what was proposed to a query, best first."""
    there = positions >= 0
    return unpacked(np.sort(packed(scores[there], positions[there]))[:count])

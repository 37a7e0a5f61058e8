"""The vectors of queries and passages, as a retriever compares them: out of the store, or computed and stored."""

from collections.abc import Iterable, Iterator

import numpy as np

from ragassay.corpora.corpus import Corpus
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.models.store import digest
from ragassay.search.nearest import comparable


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

"""BM25: how well the words of each query match each passage of a corpus. No vectors of texts, hence nothing to store.

The formula of Robertson and Zaragoza in the form that Lucene uses (its inverse document frequency is never negative,
and a constant factor k1 + 1 is left out). Words are lower-case runs of letters and digits, without stemming or stop
words. Scores are exact: one sparse product.
"""

import numpy as np
import scipy.sparse as sparse
from sklearn.feature_extraction.text import CountVectorizer

WORD = r"\w+"


class Bm25:
    def __init__(self, passages: list[str], k1: float = 1.2, b: float = 0.75):
        self._counter = CountVectorizer(token_pattern=WORD, dtype=np.float32)
        try:
            counts = self._counter.fit_transform(passages).tocsr()
        except ValueError:  # not a single word in the whole corpus
            self._weights = None
            self.passages = len(passages)
            return
        self.passages = counts.shape[0]
        lengths = np.asarray(counts.sum(axis=1)).ravel()
        norms = k1 * (1 - b + b * lengths / lengths.mean())
        documents = np.diff(counts.tocsc().indptr)
        rarity = np.log1p((self.passages - documents + 0.5) / (documents + 0.5)).astype(np.float32)
        owners = np.repeat(np.arange(self.passages), np.diff(counts.indptr))
        counts.data = rarity[counts.indices] * counts.data / (counts.data + norms[owners])
        self._weights = counts.T.tocsr()  # words x passages

    def scores(self, queries: list[str]) -> sparse.csr_matrix:
        """Queries x passages; a passage that shares no word with a query is not stored. A word that a query repeats
        counts as often.
        """
        if self._weights is None:
            return sparse.csr_matrix((len(queries), self.passages), dtype=np.float32)
        return (self._counter.transform(queries) @ self._weights).tocsr()

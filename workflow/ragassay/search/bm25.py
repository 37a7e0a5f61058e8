"""BM25 in the form that Lucene uses (its inverse document frequency is never negative, and the constant factor k1 + 1
is omitted). Words are lower-case runs of letters and digits, without stemming or stop words. Scores are exact: one
sparse product. Passages may come as a stream: their words are counted, not kept. They may also be a part of a corpus:
with the frequencies of words in all of it, a passage scores as in an index of the whole corpus."""

import tempfile
from array import array
from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np
import scipy.sparse as sparse

from ragassay.base import fitted_files
from ragassay.corpora.corpus import Frequencies, words_of
from ragassay.search.nearest import best_of_sparse, packed, unpacked

ARRAYS = {"data", "indices", "indptr", "rarity", "sizes"}
INTEGERS, FLOATS = "int32 int64", "float32 float64"
HEAVIEST = 100  # of a word: more than the logarithm of any number of passages
SCORED = 256  # queries that are scored against a block of passages at once


class Bm25:
    """`divide_by_idf` divides a score by the sum of the inverse document frequencies of the query's words, so that long
    queries do not score higher; a word that no passage has counts as the rarest that there can be.
    """

    def __init__(
        self,
        passages: Iterable[str],
        k1: float = 1.2,
        b: float = 0.75,
        divide_by_idf: bool = False,
        frequencies: Frequencies | None = None,
    ):
        self._divided, self._places, self._weights = divide_by_idf, {}, None  # word -> its place
        self._k1, self._b = k1, b
        if frequencies:
            self._weigh(frequencies)
        counts, lengths = _counted(passages, self._places, learn=frequencies is None)
        if frequencies is None:
            seen, having = self._places, np.bincount(counts.indices, minlength=len(self._places))
            length = int(lengths.sum(dtype=np.float64))
            self._weigh(Frequencies(len(lengths), length, {word: having[place] for word, place in seen.items()}))
            counts = counts[:, [seen[word] for word in self._places]]
        self.take(counts, lengths)

    def take(self, counts: sparse.csr_matrix, lengths: np.ndarray) -> "Bm25":
        """Index passages, in the place of others, from how often each has each word and how many words each has."""
        self.passages = len(lengths)
        if self._places:
            self._weights = self._weighted(counts, lengths).T.tocsr()  # words x passages
        return self

    def _weigh(self, frequencies):
        """Learn the words that count, and what each counts."""
        words = sorted(frequencies.having)
        self._places = {word: place for place, word in enumerate(words)}
        self._corpus, self._length = frequencies.passages, np.float32(frequencies.length / max(1, frequencies.passages))
        self._rarity = self._idf(np.array([frequencies.having[word] for word in words], np.int64)).astype(np.float32)

    def state(self) -> tuple[list[str], dict[str, np.ndarray]]:
        """The words of the corpus and the arrays that scores are made from: all that `restored` needs."""
        sizes = np.array([self.passages, self._divided], np.int64)
        if self._weights is None:
            return [], {"sizes": sizes}
        parts = {name: getattr(self._weights, name) for name in ("data", "indices", "indptr")}
        return list(self._places), parts | {"rarity": self._rarity, "sizes": sizes}

    @classmethod
    def restored(cls, words: list[str], arrays: dict[str, np.ndarray]) -> "Bm25":
        """The same index from its state; ValueError or KeyError if that is damaged."""
        passages, is_divided = fitted_files.check("sizes", arrays["sizes"], "int64", (2,), 0).tolist()
        if set(arrays) != (ARRAYS if words else {"sizes"}) or passages < 1 or is_divided not in (0, 1):
            raise ValueError(
                f"found the arrays {sorted(arrays)} and sizes {arrays['sizes']}, expected those of an index"
            )
        index = cls([], divide_by_idf=bool(is_divided))
        index.passages = index._corpus = passages
        if words:
            ends = fitted_files.check("indptr", arrays["indptr"], INTEGERS, (len(words) + 1,), 0, order="ascending")
            count = len(fitted_files.check("indices", arrays["indices"], INTEGERS, (None,), 0, passages - 1))
            fitted_files.check("data", arrays["data"], FLOATS, (count,), 0, HEAVIEST)
            fitted_files.check("rarity", arrays["rarity"], FLOATS, (len(words),), 0, HEAVIEST)
            if ends[0] or ends[-1] != count:
                raise ValueError(f"indptr: found {ends[0]} to {ends[-1]}, expected 0 to {count}")
            index._places = {word: place for place, word in enumerate(words)}
            index._rarity, shape = arrays["rarity"], (len(words), index.passages)
            index._weights = sparse.csr_matrix(tuple(arrays[name] for name in ("data", "indices", "indptr")), shape)
        return index

    def scores(self, queries: list[str]) -> sparse.csr_matrix:
        """Queries x passages; what shares no word with a query is not stored. A repeated word counts as often."""
        if self._weights is None:
            return sparse.csr_matrix((len(queries), self.passages), dtype=np.float32)
        counts, lengths = _counted(queries, self._places)
        scores = (counts @ self._weights).tocsr()
        if self._divided:
            mass = self._mass(counts, lengths)
            scores.data /= np.repeat(mass, np.diff(scores.indptr))
        return scores

    def paired(self, queries: list[str], texts: list[str]) -> np.ndarray:
        """The score of each query with one text, as if that were a passage of the corpus."""
        if not self._places:
            return np.zeros(len(queries))
        counts, lengths = _counted(queries, self._places)
        scores = np.asarray(counts.multiply(self._weighted(*_counted(texts, self._places))).sum(axis=1)).ravel()
        return scores / np.maximum(self._mass(counts, lengths), np.finfo(np.float32).tiny) if self._divided else scores

    def _weighted(self, counts, lengths):
        """What each word of each text adds to a score, from how often texts have words and how many they have."""
        norms = self._k1 * (1 - self._b + self._b * lengths / self._length)
        owners = np.repeat(np.arange(len(lengths)), np.diff(counts.indptr))
        counts.data = self._rarity[counts.indices] * counts.data / (counts.data + norms[owners])
        return counts

    def _mass(self, counts, lengths):
        """The sum of the inverse document frequencies of each query's words."""
        unknown = lengths - np.asarray(counts.sum(axis=1)).ravel()
        return (counts @ self._rarity + unknown * self._idf(0)).astype(np.float32)

    def _idf(self, having):
        """The inverse document frequency of words that so many passages have."""
        return np.log1p((self._corpus - having + 0.5) / (having + 0.5))


def _counted(texts, places, learn=False):
    """Texts x words: how often each text has each word; and how many words each has. A word that has no place is not
    counted, unless it is to be learned.
    """
    owned, counts, ends, lengths = array("q"), array("f"), array("q", [0]), array("f")
    for text in texts:
        words = words_of(text)
        lengths.append(len(words))
        if learn:
            words = {places.setdefault(word, len(places)): n for word, n in Counter(words).items()}
        else:
            words = Counter(place for word in words if (place := places.get(word)) is not None)
        owned.extend(words.keys())
        counts.extend(words.values())
        ends.append(len(owned))
    shape = (len(ends) - 1, len(places))
    matrix = sparse.csr_matrix(tuple(np.asarray(part) for part in (counts, owned, ends)), shape)
    matrix.sort_indices()
    return matrix, np.asarray(lengths)


def best_by_words(indexes: Iterable[Bm25], queries: list[str], count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Positions in the stream of passages and scores of the best of each query, best first. Indexes of some passages at
    a time come one after another.
    """
    best, offset = [np.empty(0, np.int64)] * len(queries), 0
    for index in indexes:
        for start in range(0, len(queries), SCORED):
            scores = index.scores(queries[start : start + SCORED])
            for query, (positions, of_block) in enumerate(best_of_sparse(scores, count), start):
                keys = np.concatenate([best[query], packed(of_block, positions + offset)])
                best[query] = np.sort(keys)[:count]
        offset += index.passages
    return [unpacked(keys) for keys in best]


def best_at_once(
    blocks: Iterable[list[str]], queries: list[str], count: int, **options
) -> tuple[list[tuple[np.ndarray, np.ndarray]], Frequencies]:
    """The same of texts whose words nobody has counted, and the frequencies of those of the queries. Texts stream by
    once: how often each has these words lies in a file until all are counted.
    """
    words = sorted({word for text in queries for word in words_of(text)})
    places, having, sizes, length = {word: at for at, word in enumerate(words)}, np.zeros(len(words), np.int64), [], 0
    with tempfile.TemporaryFile() as file:
        for texts in blocks:
            counts, lengths = _counted(texts, places)
            for part in (counts.data, counts.indices, counts.indptr, lengths):
                np.save(file, part)
            having += np.bincount(counts.indices, minlength=len(words))
            sizes.append(len(texts))
            length += int(lengths.sum(dtype=np.float64))
        used = {word: number for word, number in zip(words, having.tolist(), strict=True) if number}
        frequencies, columns = Frequencies(sum(sizes), length, used), np.cumsum(having > 0) - 1

        def indexes():
            file.seek(0)
            for size in sizes:
                data, indices, ends, lengths = (np.load(file) for _ in range(4))
                counts = sparse.csr_matrix((data, columns[indices], ends), (size, len(used)))
                yield Bm25((), **options, frequencies=frequencies).take(counts, lengths)

        return best_by_words(indexes(), queries, count), frequencies


def pairs(frequencies: Frequencies, **options) -> Callable[[list[str], list[str]], np.ndarray]:
    """What scores queries with one passage each; NaN where they share no word."""
    index = Bm25((), **options, frequencies=frequencies)

    def scores(queries, texts):
        values = index.paired(queries, texts)
        return np.where(values > 0, values, np.nan)

    return scores

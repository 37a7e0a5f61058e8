"""Test statistics of a query, from its nearest passages: higher = more out of knowledge. `scores` are queries x k,
best first; Fisher and Simes are made of k p-values instead. The fused statistic is the sum of several retrievers'
MSS, each in units of its spread among in-knowledge queries; the logistic one weighs what they found. The paper's Fisher
adds up p-values (Edgington's); its Simes is low out of knowledge, hence the minus."""

from typing import NamedTuple

import numpy as np

ROWS = 1000  # that are computed on at once
FLOOR = 1e-12  # the smallest p-value that a logarithm is taken of: those of the paper's equation 2 may be 0
Scores = list[np.ndarray]  # queries x k of each retriever


def mss(scores: np.ndarray) -> np.ndarray:
    """The maximum similarity score."""
    return -_floats(scores)[:, 0]


def knn(scores: np.ndarray) -> np.ndarray:
    """The similarity to the k-th nearest passage."""
    return -_floats(scores)[:, -1]


def avg_knn(scores: np.ndarray) -> np.ndarray:
    """The mean similarity to the k nearest passages."""
    return -_row_sums(_floats(scores)) / np.shape(scores)[1]


def entropy(scores: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """The entropy of the softmax over the k nearest passages: flat where none of them stands out."""

    def of_block(block):
        shifted, weights = _exponentials(block, temperature)
        total = _row_sums(weights)
        return np.log(total) - np.einsum("ij,ij->i", weights, shifted) / total

    return by_blocks(of_block, _floats(scores))


def energy(scores: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """The free energy of the k nearest passages: near AvgKNN at temperature 1, near MSS at a low one."""
    scores = _floats(scores)
    totals = by_blocks(lambda block: _row_sums(_exponentials(block, temperature)[1]), scores)
    return -scores[:, 0] - temperature * np.log(totals)


def fisher(p_values: np.ndarray) -> np.ndarray:
    """Fisher's combination of p-values, queries x k. They depend on each other: it does not follow chi-squared."""
    return _row_sums(_logarithms(_floats(p_values)))


def simes(p_values: np.ndarray) -> np.ndarray:
    """Simes' combination of p-values, queries x k, negated."""
    return -_least(np.sort(_floats(p_values), axis=1).T)


def of_counts(name: str, counts: np.ndarray, p_values: np.ndarray) -> np.ndarray:
    """Fisher or Simes of whole numbers, queries x k, that stand for places in a list of ascending p-values."""
    if name == "fisher":
        terms = _logarithms(p_values)
        return by_blocks(lambda block: _row_sums(terms.take(block)), counts)
    return -by_blocks(lambda block: _least(p_values.take(np.sort(block, axis=1).T)), counts)


def by_blocks(function, values: np.ndarray) -> np.ndarray:
    """What a function gives for the rows of an array, some at a time, so that all it computes stays in the cache."""
    starts = range(0, max(len(values), 1), ROWS)
    return np.concatenate([function(values[start : start + ROWS]) for start in starts])


SIMPLE = {"mss": mss, "knn": knn, "avg_knn": avg_knn, "entropy": entropy, "energy": energy}
COMBINED = {"fisher": fisher, "simes": simes}
FUSED, LOGISTIC, CHOSEN = "fused", "logistic", "chosen"
TOGETHER = FUSED, LOGISTIC  # those of several retrievers
TEMPERED = ("entropy", "energy")  # those that have a temperature


def statistic(name: str, scores: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """A statistic of scores by its name."""
    more = {"temperature": temperature} if name in TEMPERED else {}
    return SIMPLE[name](scores, **more)


class Setting(NamedTuple):
    statistic: str
    k: int
    temperature: float

    def of(self, scores: np.ndarray) -> np.ndarray:
        """The statistic of these similarities, queries x at least k."""
        return statistic(self.statistic, scores[:, : self.k], self.temperature)


def by_description(about: dict, asked: Scores) -> np.ndarray:
    """The statistic that a gate's card describes; `asked` has queries x at least k scores by each retriever."""
    if about["name"] == FUSED:
        return standardized(about["units"], asked)
    if about["name"] == LOGISTIC:
        weight, bias = (np.array(about["head"][name]) for name in ("outer.weight", "outer.bias"))
        return features([scores[:, : about["k"]] for scores in asked]) @ weight + bias
    return Setting(about["name"], about["k"], about["temperature"]).of(asked[0])


def features(asked: Scores) -> np.ndarray:
    """Queries x numbers: the best, the mean and the last similarity by each retriever."""
    return np.stack([statistic(scores) for scores in asked for statistic in (mss, avg_knn, knn)], axis=1)


def units(inside: np.ndarray) -> tuple[float, float]:
    """The mean and the spread of the MSS of queries, by one retriever."""
    return units_of(mss(inside))


def standardized(units: list[tuple[float, float]], asked: list[np.ndarray]) -> np.ndarray:
    """The sum over retrievers of the MSS in these units; `asked` has queries x k scores by each of them."""
    return _added(units, map(mss, asked))


def with_reader(values: np.ndarray, unread: np.ndarray, units: list[tuple[float, float]]) -> np.ndarray:
    """The sum of a statistic and of what a reader misses in the passages, 1 minus their relevance, in these units."""
    return _added(units, (values, unread))


def _added(units, parts):
    return sum((part - mean) / spread for (mean, spread), part in zip(units, parts, strict=True))


def units_of(values: np.ndarray) -> tuple[float, float]:
    """The mean and the spread of numbers."""
    return float(values.mean()), float(values.std() or 1.0)


def fused_mss(fitting: Scores, asked: Scores) -> np.ndarray:
    """The sum over retrievers of the MSS in standard units of the fitting queries."""
    return standardized([units(of_retriever) for of_retriever in fitting], asked)


def _floats(values):
    return np.asarray(values, np.float64)


def _exponentials(scores, temperature):
    """The scores below the best one of their row, in units of the temperature, and their exponentials."""
    shifted = scores - scores[:, :1]
    if temperature != 1:
        shifted /= temperature
    return shifted, np.exp(shifted)


def _logarithms(p_values):
    return -2 * np.log(np.maximum(p_values, FLOOR))


def _least(ordered):
    """The least of ordered p-values, k x queries, each times k by its rank."""
    k = len(ordered)
    return (ordered * (k / np.arange(1, k + 1))[:, None]).min(axis=0)


def _row_sums(values):
    """As a product: sums over short rows take longer."""
    return values @ np.ones(values.shape[1])

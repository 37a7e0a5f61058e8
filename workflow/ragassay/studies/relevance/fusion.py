"""Statistics that use several retrievers at once, such as vectors and BM25, and do better than the published ones.

`fused` adds up the maximum similarity scores, each in units of its spread among in-knowledge queries. `fit_head` trains
a logistic regression that needs no out-of-knowledge query: in its place stands each in-knowledge query as if its own
document, and near-duplicates of this, were not in the corpus.

Scores are queries x k of each retriever, in the same order of retrievers everywhere. Both are higher for queries that
are out of knowledge, and are fitted on other queries than those that calibrate or are tested.
"""

import numpy as np

from ragassay.models.heads import regression
from ragassay.models.heads.scores import scores as head_scores
from ragassay.studies.relevance.standard_units import standardized, units
from ragassay.studies.relevance.statistics import avg_knn, knn, mss

Scores = list[np.ndarray]  # queries x k of each retriever


def fused(fitting: Scores, asked: Scores) -> np.ndarray:
    """The sum over retrievers of the MSS in standard units of the fitting queries."""
    return standardized([units(known) for known in fitting], asked)


def fit_head(fitting: Scores, masked: Scores) -> dict[str, np.ndarray]:
    """A logistic regression of whether a query's own documents are missing; `masked` are the scores of the fitting
    queries without these.
    """
    known, unknown = features(fitting), features(masked)
    return regression.train(np.concatenate([known, unknown]), np.repeat([False, True], [len(known), len(unknown)]))


def apply_head(head: dict[str, np.ndarray], asked: Scores) -> np.ndarray:
    return head_scores(head, features(asked))


def features(asked: Scores) -> np.ndarray:
    """Queries x numbers: the best, the mean and the last similarity by each retriever."""
    return np.stack([statistic(scores) for scores in asked for statistic in (mss, avg_knn, knn)], axis=1)

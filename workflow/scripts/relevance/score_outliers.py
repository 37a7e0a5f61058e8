"""Score the queries of a set by outlier detectors on their vectors, and by their distance from the corpus's main axes.

Detectors are fitted on the fitting part of the in-knowledge queries, and on synthetic queries. Rows of the query set
`<in-knowledge>, held out` are for comparison with held-out queries: what gave them was fitted as if the documents that
are held out, and queries about them, were unknown.

Outlier detectors on the vectors of queries, which never look at the corpus: what a statistic of the corpus has to
beat. They are PyOD's with its default settings, compared with PyOD 3.6.7 (not needed here: it would bring two
compilers). `copod` scores each query by itself; `copod_together` counts all queries of the study among those that
were fitted, as PyOD does with all of a call. `subspace` is the distance from the corpus's principal components.
"""

import warnings
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import Corpus
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.corpora import QUERIES
from ragassay.schemas.relevance import OUTLIER_SCORES
from ragassay.search.nearest import comparable
from ragassay.studies.relevance import searched_queries
from ragassay.studies.relevance.calibration import searched
from ragassay.studies.relevance.searched_queries import DocumentClusters, fits
from ragassay.studies.relevance.trials import CORPUS, SYNTHETIC, TRUE, sample

Score = Callable[[np.ndarray], np.ndarray]


def score_outliers(
    passages, held_out_documents, queries, outlier_scores,
    entry, samples, encoder, query_encoder, embeddings, titles, similarity,
):  # fmt: skip
    """`passages` are the corpus, and the corpus without what is held out; `queries` have the sets of the entry. A
    detector is fitted on `samples` queries at most.
    """
    of_queries, files = Embedder(Encoder(**query_encoder), embeddings), {}
    for path in queries:
        files[tables.keys(QUERIES, path)["query_set"]] = path
    clusters = DocumentClusters(passages[0], held_out_documents)
    asked = {name: searched_queries.read(name, path, {}, clusters) for name, path in files.items()}
    vectors = {name: _vectors(path, of_queries, similarity) for name, path in files.items()}
    of_passages = Embedder(Encoder(**encoder), embeddings)
    axes = [_axes(Corpus(path, titles), of_passages, similarity) for path in passages]
    in_knowledge, synthetic = entry["in_knowledge"], entry["synthetic"]
    compared = [name for name in files if name != synthetic]
    with tables.Writer(OUTLIER_SCORES, outlier_scores) as writer:
        for held_out, subspace in zip((False, True), axes, strict=True):
            detectors = {("subspace", CORPUS): subspace}
            fitted = {TRUE: (in_knowledge, fits(asked[in_knowledge].keys))} | (
                {SYNTHETIC: (synthetic, True)} if synthetic else {}
            )
            for origin, (name, mask) in fitted.items():
                mask = mask & (searched_queries.is_left(asked[name]) if held_out else True)
                mask = np.broadcast_to(mask, len(vectors[name]))
                fitting = vectors[name][sample(mask, samples, 0, asked[name].ids)]
                methods = METHODS if len(fitting) > 1 else ()
                detectors |= {(method, origin): fit(method, fitting) for method in methods}
            scored = [in_knowledge] if held_out else compared
            together = np.concatenate([vectors[name] for name in scored])
            ends = np.cumsum([len(vectors[name]) for name in scored])[:-1]
            for (method, origin), score in detectors.items():
                for name, values in zip(scored, np.split(score(together), ends), strict=True):
                    shown = searched_queries.of_held_out(name) if held_out else name
                    writer.write(_rows(shown, asked[name].ids, method, origin, values))
    log.info("%d scores of %d sets", writer.written, len(compared))


def _vectors(path, embedder, similarity):
    texts = tables.read(QUERIES, path, ["text"])["text"].to_pylist()
    return comparable(embedder.embed(texts, "query"), similarity).astype(np.float64)


def _axes(corpus, embedder, similarity):
    """The distance from the principal components of a corpus, whose vectors stream by."""
    count, total, moments = 0, 0.0, 0.0
    for block in embedder.stream(corpus.texts(), "passage"):
        block = comparable(block, similarity).astype(np.float64)
        count, total, moments = count + len(block), total + block.sum(axis=0), moments + block.T @ block
    return subspace(total / count, moments / count)


def _rows(query_set, ids, method, origin, values):
    same = {"query_set": query_set, "method": method, "fitted_on": origin}
    columns = {name: pa.repeat(value, len(ids)) for name, value in same.items()}
    return pa.table(columns | {"query_id": pa.array(ids.tolist()), "value": pa.array(np.round(values, 6))})


def mahalanobis(fitted: np.ndarray) -> Score:
    """The distance from the mean in units of the robust covariance. With fewer queries than numbers in a vector, the
    robust covariance is the plain one, of all queries, and what lies outside of their span does not count.
    """
    from sklearn.covariance import EmpiricalCovariance, MinCovDet

    count, width = fitted.shape
    support = int(np.ceil((count + width + 1) / 2))
    estimator = EmpiricalCovariance() if support >= count else MinCovDet(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a determinant that rises by rounding
        return estimator.fit(fitted).mahalanobis


def svm(fitted: np.ndarray) -> Score:
    """How far a query is on the wrong side of a one-class support vector machine."""
    from sklearn.svm import OneClassSVM

    estimator = OneClassSVM(gamma="auto").fit(fitted)
    return lambda asked: -estimator.decision_function(asked)


def lof(fitted: np.ndarray) -> Score:
    """The local outlier factor: how much thinner queries are around one than around its neighbours."""
    from sklearn.neighbors import LocalOutlierFactor

    neighbours = min(20, len(fitted) - 1)
    estimator = LocalOutlierFactor(neighbours, novelty=True).fit(fitted)
    return lambda asked: -estimator.score_samples(asked)


def kde(fitted: np.ndarray) -> Score:
    """The negative log density of Gaussians of width 1 around each query."""
    from sklearn.neighbors import KernelDensity

    estimator = KernelDensity().fit(fitted)
    return lambda asked: -estimator.score_samples(asked)


def copod(fitted: np.ndarray) -> Score:
    """How far a query is in the tails of each number: left, right or both, by the skewness of the number."""
    centre, count = fitted.mean(axis=0), len(fitted)
    ordered = np.sort(fitted, axis=0)
    squares, cubes = (((fitted - centre) ** power).sum(axis=0) for power in (2, 3))

    def scored(asked):
        asked = np.asarray(asked, np.float64)
        below = searched(ordered, asked, "right")  # at most as high
        above = count - searched(ordered, asked, "left")  # at least as high
        # The third central moment of the fitted queries and this one, from their sums around the fitted mean.
        apart = asked - centre
        mean = apart / (count + 1)
        skew = (cubes + apart**3) - 3 * mean * (squares + apart**2) + 2 * (count + 1) * mean**3
        return _in_tails((below + 1) / (count + 1), (above + 1) / (count + 1), skew)

    return scored


def copod_together(fitted: np.ndarray) -> Score:
    """The same, where all that are scored at once count with the fitted ones, so that many are less unusual."""

    def scored(asked):
        together = np.concatenate([fitted, np.asarray(asked, np.float64)])
        ordered, asked = np.sort(together, axis=0), together[len(fitted) :]
        below = searched(ordered, asked, "right") / len(together)
        above = 1 - searched(ordered, asked, "left") / len(together)
        return _in_tails(below, above, ((together - together.mean(axis=0)) ** 3).sum(axis=0))

    return scored


def _in_tails(below, above, skew):
    """From the shares at most and at least as high as each number, queries x numbers; the longer tail counts."""
    left, right = -np.log(below), -np.log(above)
    tails = np.where(skew < 0, left, np.where(skew > 0, right, left + right))
    return np.maximum(tails, (left + right) / 2).sum(axis=1)


METHODS = {"mahalanobis": mahalanobis, "svm": svm, "lof": lof, "kde": kde, "copod": copod}
METHODS |= {"copod_together": copod_together}


def fit(name: str, fitted: np.ndarray) -> Score:
    """A detector by its name."""
    return METHODS[name](np.asarray(fitted, np.float64))


def subspace(mean: np.ndarray, moments: np.ndarray, explained: float = 0.9) -> Score:
    """The distance from the principal components of the corpus that explain so much of its variance; `moments` is the
    mean product of the passages' vectors.
    """
    values, vectors = np.linalg.eigh(moments - np.outer(mean, mean))
    share = np.cumsum(values[::-1]) / values.sum()
    axes = vectors[:, ::-1][:, : int(np.searchsorted(share, explained)) + 1]

    def scored(asked):
        apart = np.asarray(asked, np.float64) - mean
        return np.linalg.norm(apart - (apart @ axes) @ axes.T, axis=1)

    return scored


if __name__ == "__main__":
    run(score_outliers, snakemake)

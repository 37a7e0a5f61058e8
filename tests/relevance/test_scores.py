"""Scores of queries: by their neighbours, by outlier detectors and by models."""

import numpy as np
import pytest
from scipy.stats import skew
from sklearn.covariance import MinCovDet
from sklearn.decomposition import PCA
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.svm import OneClassSVM

from query_corpus import READER, write_corpus
from ragassay.base import tables
from ragassay.schemas.corpora import LM_RELEVANCE, NEIGHBOURS, PASSAGES, QUERIES
from ragassay.schemas.relevance import OUTLIER_SCORES, RELEVANCE_SCORES
from rows import place, row
from scripts.relevance import score_outliers
from scripts.relevance.rate_relevance import rate_relevance, rating
from scripts.relevance.score_relevance import score_relevance


def test_statistics_are_those_of_the_nearest_passages(study, tmp_path):
    neighbours = place(study, NEIGHBOURS, corpus="small", retriever="dense", query_set="near")
    inputs = place(study, PASSAGES, corpus="small"), place(study, QUERIES, query_set="near"), neighbours
    score_relevance(*([path] for path in inputs), [], [tmp_path / "scores.parquet"], [], k=8, temperature=1.0)
    found = tables.read(RELEVANCE_SCORES, tmp_path / "scores.parquet").to_pandas()
    table = found.pivot(index="query_id", columns="statistic", values="value")
    scores = tables.read(NEIGHBOURS, neighbours).to_pandas().query("rank <= 8").groupby("query_id")["score"]
    assert list(table.columns) == ["avg_knn", "energy", "entropy", "knn", "mss"] and len(table) == 70
    np.testing.assert_allclose(table["mss"], -scores.max(), atol=1e-9)
    np.testing.assert_allclose(table["knn"], -scores.min(), atol=1e-9)
    np.testing.assert_allclose(table["energy"], -np.log(scores.agg(lambda own: np.exp(own).sum())), atol=1e-9)


@pytest.fixture(scope="module")
def scores(files):
    return tables.read(OUTLIER_SCORES, files["outlier_scores"][0]).to_pandas()


def test_every_query_has_a_score_by_every_detector(scores):
    assert set(scores["query_set"]) == {"natural", "near", "far", "natural, held out"}
    detectors = {(name, origin) for name in score_outliers.METHODS for origin in ("in-knowledge", "synthetic")}
    assert set(zip(scores["method"], scores["fitted_on"], strict=True)) == detectors | {("subspace", "corpus")}
    assert len(scores) == (120 + 70 + 70 + 120) * (2 * 6 + 1)


def test_queries_of_another_kind_score_higher(scores):
    means = scores.groupby(["method", "fitted_on", "query_set"])["value"].mean().unstack()
    assert (means["far"] > means["natural"]).all() and (means["near"] > means["natural"]).all()


def test_what_is_compared_with_held_out_queries_is_fitted_without_them(scores):
    table = scores.pivot(index=["method", "fitted_on", "query_id"], columns="query_set", values="value")
    both = table[["natural", "natural, held out"]].dropna()
    assert len(both) == 120 * 13 and (both.iloc[:, 0] != both.iloc[:, 1]).mean() > 0.9


def test_every_vote_is_kept_and_what_is_covered_is_rated_higher(tmp_path):
    files = write_corpus(tmp_path)
    asked = {"covered": "How many piers has the bridge in Port Alder?", "far": "Why do onions make you weep?"}
    asked["alone"] = "Qwertz?"
    tables.write(QUERIES, files("queries"), [row(QUERIES, query_id=name, text=text) for name, text in asked.items()])
    near = [row(NEIGHBOURS, query_id=name, rank=1, passage_id="bridge#1", score=1.0) for name in ("covered", "far")]
    tables.write(NEIGHBOURS, files("neighbours"), near)
    settings = {"model": READER, "ledger": str(tmp_path / "ledger"), "sampling": {"temperature": 0.5}}
    settings |= {"shown": 5, "votes": 2, "most_rejected": 1}
    paths = [files(name) for name in ("passages", "queries", "neighbours")]
    prompt = "resources/prompts/rate_relevance.yaml"
    rate_relevance(*paths, prompt, files("rated"), files("calls"), **settings)
    rows = {(one["query_id"], one["vote"]): one for one in tables.read(LM_RELEVANCE, files("rated")).to_pylist()}
    assert len(rows) == 6 and all(one["abstained"] is None and one["feedback"] for one in rows.values())
    for vote in (1, 2):
        assert rows["covered", vote]["value"] < rows["far", vote]["value"] <= 1
        assert rows["alone", vote]["value"] > 0.9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"feedback": "All there.", "score": 1}', (1.0, "All there.", None)),
        ('{"feedback": "Half.", "score": "0.5"}', (0.5, "Half.", None)),
        ('{"feedback": "Much.", "score": 7}', (None, None, "no_verdict")),
        ('{"feedback": "Much.", "score": true}', (None, None, "no_verdict")),
        ('{"feedback": "Much.", "score": [1]}', (None, None, "no_verdict")),
        ('{"score": 1}', (None, None, "no_object")),
        ('{"feedback": "Much.", "score": "NaN"}', (None, None, "no_verdict")),
        ("I cannot help with that.", (None, None, "refusal")),
    ],
)
def test_a_rating_is_a_number_between_0_and_1(text, expected):
    assert rating(text, "stop") == expected


@pytest.fixture
def vectors():
    random = np.random.default_rng(0)
    return random.gamma(2.0, size=(60, 6)), random.gamma(2.0, size=(9, 6))


@pytest.mark.parametrize("name", score_outliers.METHODS)
def test_far_vectors_score_higher_and_fitting_matters(name, vectors):
    fitted, asked = vectors
    score = score_outliers.fit(name, fitted)
    assert score(asked).shape == (9,) and score(asked).std() > 0
    assert (score(asked + 40) > score(asked)).all()
    if name != "copod_together":
        np.testing.assert_allclose(score(asked[:1]), score(asked)[:1], rtol=1e-9)  # whatever is scored beside it
    assert not np.allclose(score_outliers.fit(name, fitted * 3 + 1)(asked), score(asked))


@pytest.mark.parametrize("count", [60, 3])  # of three, each query changes the skewness by much
def test_copod_is_that_of_a_plain_loop(vectors, count):
    fitted, asked = vectors[0][:count], np.random.default_rng(1).gamma(2.0, size=(150, 6))
    fitted[:, 2] = 1.0  # a number that never varies
    expected = []
    for query in asked:
        together, total = np.vstack([fitted, query]), 0.0
        for column, side in zip(together.T, np.sign(np.nan_to_num(skew(together, axis=0))), strict=True):
            left, right = -np.log((column <= column[-1]).mean()), -np.log((column >= column[-1]).mean())
            tails = {1: right, -1: left, 0: left + right}[int(side)]
            total += max(tails, (left + right) / 2)
        expected.append(total)
    np.testing.assert_allclose(score_outliers.fit("copod", fitted)(asked), expected, atol=1e-12)


def test_copod_of_a_batch_counts_all_of_it_as_pyod_does(vectors):
    fitted, asked = vectors
    together = np.vstack([fitted, asked])
    expected = np.zeros(len(asked))
    for column, side in zip(together.T, np.sign(skew(together, axis=0)), strict=True):
        left = np.array([-np.log((column <= value).mean()) for value in column])
        right = np.array([-np.log((column >= value).mean()) for value in column])
        tails = left * -np.sign(side - 1) + right * np.sign(side + 1)
        expected += np.maximum(tails, (left + right) / 2)[len(fitted) :]
    together, alone = (score_outliers.fit(name, fitted)(asked) for name in ("copod_together", "copod"))
    np.testing.assert_allclose(together, expected, atol=1e-12)
    assert not np.allclose(together, alone)


@pytest.mark.filterwarnings("ignore")
def test_with_few_queries_the_robust_covariance_is_the_plain_one():
    """As scikit-learn's, to a factor: then all queries support it."""
    random = np.random.default_rng(1)
    fitted, asked = random.normal(size=(12, 20)), random.normal(size=(5, 20))
    ratios = MinCovDet(random_state=0).fit(fitted).mahalanobis(asked) / score_outliers.fit("mahalanobis", fitted)(asked)
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-6)


@pytest.mark.parametrize("count", [60, 9])
def test_detectors_are_those_of_scikit_learn_with_the_settings_of_pyod(vectors, count):
    fitted, asked = vectors[0][:count], vectors[1]
    expected = {
        "lof": -LocalOutlierFactor(20 if count == 60 else 8, novelty=True).fit(fitted).score_samples(asked),
        "kde": -KernelDensity(bandwidth=1.0, kernel="gaussian").fit(fitted).score_samples(asked),
        "svm": -OneClassSVM(kernel="rbf", nu=0.5, gamma=1 / 6).fit(fitted).decision_function(asked),
        "mahalanobis": MinCovDet(random_state=0).fit(fitted).mahalanobis(asked),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(score_outliers.fit(name, fitted)(asked), values, rtol=1e-9)


@pytest.mark.parametrize("explained", [0.5, 0.9, 0.99])
def test_the_subspace_is_that_of_principal_components(explained):
    random = np.random.default_rng(2)
    passages = random.normal(size=(500, 8)) * np.arange(1, 9) ** 1.5 + 3
    asked = random.normal(size=(5, 8)) * 9
    components = PCA(explained, svd_solver="full").fit(passages)
    apart = asked - components.inverse_transform(components.transform(asked))
    score = score_outliers.subspace(passages.mean(axis=0), passages.T @ passages / 500, explained)
    np.testing.assert_allclose(score(asked), np.linalg.norm(apart, axis=1), rtol=1e-6)

"""score_outliers: scores of every query by every detector, fitted on what each may know."""

import pytest

from ragassay.base import tables
from ragassay.schemas.relevance import OUTLIER_SCORES
from scripts.relevance import score_outliers


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

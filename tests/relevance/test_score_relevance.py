"""score_relevance: one row per query and statistic, from its neighbours."""

import numpy as np

from ragassay.base import tables
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES, QUERIES
from ragassay.schemas.relevance import RELEVANCE_SCORES
from rows import place
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

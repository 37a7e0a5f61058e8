"""The study's tables, and what its stages are told of them."""

import numpy as np
import pytest

from query_study import study  # noqa: F401
from ragassay.base import tables
from ragassay.schemas.corpora import LM_RELEVANCE, QUERIES
from ragassay.schemas.report import CALLS
from rows import place, row
from scripts.relevance.score_outliers import score_outliers


@pytest.fixture(scope="session")
def entry():
    """The entry of the set in `relevance.sets`."""
    return {"corpus": "small", "in_knowledge": "natural", "near": ["near"], "far": ["far"], "synthetic": "written"}


@pytest.fixture(scope="session")
def options():
    return {
        "retrievers": ["dense", "words"], "fused": ["dense", "words"], "k": 8, "ks": [4, 8], "temperature": 1.0,
        "temperatures": [1.0, 0.05], "alpha": 0.1, "p_values": "conformal", "runs": 4, "samples": 30,
        "sizes": [10, 30],
    }  # fmt: skip


class Vectors:
    """In the place of an embedder: what a text is called is where its vector lies."""

    def __init__(self, *_):
        pass

    def embed(self, texts, role):
        ways = {"natural": 0, "written": 0, "near": 1, "far": 2}
        found = np.random.default_rng(1).normal(size=(len(texts), 8))
        for vector, text in zip(found, texts, strict=True):
            vector[ways.get(text.removeprefix("Which ").split(" ")[0], 0)] += 6
        return found

    def stream(self, texts, role):
        yield self.embed(list(texts), role)


@pytest.fixture(scope="session")
def files(study, entry):  # noqa: F811
    """name -> the files of a table."""
    names = ("passages", "held_out_documents", "queries", "neighbours")
    found = {name: sorted(map(str, (study / name).rglob("*.parquet"))) for name in names}
    scores = str(study / "outlier_scores/one.parquet")
    encoders = {key: {"name": "x", "kind": "y", "model": "z"} for key in ("encoder", "query_encoder")}
    settings = {"entry": entry, "samples": 300, **encoders, "embeddings": "", "titles": "none", "similarity": "cosine"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scripts.relevance.score_outliers.Embedder", Vectors)
        documents = found["held_out_documents"][0]
        score_outliers(found["passages"][::-1], documents, found["queries"], scores, **settings)
    rated = [
        place(study, LM_RELEVANCE, rater="model", corpus="small", retriever="dense", query_set=name)
        for name in ("natural", "far")
    ]
    for path, value in zip(rated, (0.2, 0.7), strict=True):
        ids = tables.read(QUERIES, place(study, QUERIES, query_set=path.stem))["query_id"].to_pylist()
        votes = [
            row(LM_RELEVANCE, query_id=query, vote=vote, value=value + at % 7 / 10)
            for at, query in enumerate(ids)
            for vote in (1, 2)
        ]
        tables.write(LM_RELEVANCE, path, votes[:-4])
    paid = [study / f"calls/{path.stem}.parquet" for path in rated]
    for path, requests in zip(paid, (240, 140), strict=True):  # for 118 and 68 queries with votes
        spent = {"requests": requests, "prompt_tokens": 9 * requests, "completion_tokens": requests}
        tables.write(CALLS, path, [row(CALLS, model="model", **spent, dollars=requests / 1000)])
    return found | {"outlier_scores": [scores], "lm_relevance": rated, "calls": paid, "answer_metrics": []}

"""A small study set as tables: documents, queries about them, near and far ones, and what two retrievers find. The
passage of a document has another id than the document, and queries name either of them.
"""

import numpy as np
import pytest

from ragassay.base import tables
from ragassay.schemas.corpora import LM_RELEVANCE, NEIGHBOURS, PASSAGES, QUERIES
from ragassay.search.neighbours import rows
from rows import place, row
from scripts.relevance.hold_out_documents import hold_out_documents
from scripts.relevance.score_outliers import score_outliers

DOCUMENTS, WIDTH = 120, 24
SETS = {"natural": 1.0, "near": 0.45, "far": 0.0, "written": 1.2}  # how much of a query is of a document
RETRIEVERS = {"dense": 0.25, "words": 0.3}  # noise
DUPLICATE = "This very text stands twice in the corpus, word for word, under two names and nothing else."


def passage(document):
    return f"{document}#0"


def about(document, number):
    """What a query about a document names: its passage or itself."""
    return passage(document) if number % 2 else document


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """A folder of tables; documents d000 and d001 are the same text."""
    folder, random = tmp_path_factory.mktemp("study"), np.random.default_rng(0)
    ids = [f"d{number:03}" for number in range(DOCUMENTS)]
    texts = [f"document {name} about {' '.join(random.choice(list('abcdefgh'), 40))}" for name in ids]
    texts[:2] = [DUPLICATE, DUPLICATE]
    passages = [
        row(PASSAGES, passage_id=passage(name), document_id=name, text=text)
        for name, text in zip(ids, texts, strict=True)
    ]
    tables.write(PASSAGES, place(folder, PASSAGES, corpus="small"), passages)
    hold_out_documents(
        place(folder, PASSAGES, corpus="small"),
        folder / "held_out_documents/small.parquet",
        place(folder, PASSAGES, corpus="small.held_out"),
        0.5, 0.6, 300,
    )  # fmt: skip
    documents = unit(random.normal(size=(DOCUMENTS, WIDTH)))
    documents[1] = documents[0]
    for name, knowledge in SETS.items():
        count = DOCUMENTS if name in ("natural", "written") else 70
        asked = [f"{name} {number:03}" for number in range(count)]
        known = knowledge >= 1
        queries = [
            row(QUERIES, query_id=query, text=f"Which {query}?", passage_id=about(ids[at], at) if known else None)
            for at, query in enumerate(asked)
        ]
        tables.write(QUERIES, place(folder, QUERIES, query_set=name), queries)
        for retriever, noise in RETRIEVERS.items():
            vectors = unit(knowledge * documents[:count] + noise * random.normal(size=(count, WIDTH)))
            for corpus in ("small", "small.held_out"):
                kept = tables.read(PASSAGES, place(folder, PASSAGES, corpus=corpus))["passage_id"]
                similar = np.round(
                    vectors @ documents[[ids.index(one.removesuffix("#0")) for one in kept.to_pylist()]].T, 5
                )
                order = np.argsort(-similar, axis=1, kind="stable")[:, :50]
                found = rows(asked, kept, order, np.take_along_axis(similar, order, axis=1))
                keys = {"corpus": corpus, "retriever": retriever, "query_set": name}
                tables.write(NEIGHBOURS, place(folder, NEIGHBOURS, **keys), found)
    return folder


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
def files(study, entry):
    """name -> the files of a table."""
    names = ("passages", "held_out_documents", "queries", "neighbours")
    found = {name: sorted(map(str, (study / name).rglob("*.parquet"))) for name in names}
    scores = str(study / "outlier_scores/one.parquet")
    encoders = {key: {"name": "x", "kind": "y", "model": "z"} for key in ("encoder", "query_encoder")}
    settings = {"entry": entry, **encoders, "embeddings": "", "titles": "none", "similarity": "cosine"}
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
    return found | {"outlier_scores": [scores], "lm_relevance": rated, "answer_metrics": []}

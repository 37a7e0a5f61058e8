"""A small study set as tables: documents, queries about them, near and far ones, and what two retrievers find. The
passage of a document has another id than the document, and queries name either of them.
"""

import numpy as np
import pytest

from ragassay.base import tables
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES, QUERIES
from ragassay.search import neighbours
from rows import place, row
from scripts.corpora.hold_out_documents import hold_out_documents

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
                path = place(folder, NEIGHBOURS, corpus=corpus, retriever=retriever, query_set=name)
                best = zip(order, np.take_along_axis(similar, order, axis=1), strict=True)
                neighbours.write(path, asked, kept, best)
    return folder

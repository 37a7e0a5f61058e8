"""A corpus of two documents and two query sets."""

import pytest

from ragassay.base import tables
from ragassay.schemas.corpora import PASSAGES, QUERIES
from rows import row

READER = {"name": "reader", "provider": "embedded", "model": "reader", "price": {"input": 0, "output": 0}}
TEXTS = {
    "ferry": "The ferry Kittiwake was built in Brackwater in 2028. It takes 540 people. The mayor opened the berth.",
    "bridge": "The bridge in Port Alder has nine piers. It cost 214 million marks. Therefore the toll is 2 marks.",
}


@pytest.fixture
def reader():
    return READER


@pytest.fixture
def texts():
    return TEXTS


@pytest.fixture
def files(tmp_path):
    """Paths by name; the corpus and a query set are written."""

    def path(name):
        return str(tmp_path / f"{name}.parquet")

    tables.write(
        PASSAGES,
        path("passages"),
        [
            row(PASSAGES, passage_id=f"{name}#{number}", document_id=name, text=text)
            for name, text in TEXTS.items()
            for number in (1, 2)
        ],
    )
    tables.write(QUERIES, path("asked"), [row(QUERIES, query_id=f"a{n}", text=f"What is {n}?") for n in range(3)])
    tables.write(QUERIES, path("other"), [row(QUERIES, query_id="o", text="Why?")])
    return path

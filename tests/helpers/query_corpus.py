"""A corpus of two documents and two query sets."""

from ragassay.base import tables
from ragassay.schemas.corpora import PASSAGES, QUERIES
from rows import row

READER = {"name": "reader", "provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}}
TEXTS = {
    "ferry": "The ferry Kittiwake was built in Brackwater in 2028. It takes 540 people. The mayor opened the berth.",
    "bridge": "The bridge in Port Alder has nine piers. It cost 214 million marks. Therefore the toll is 2 marks.",
}


def write_corpus(folder):
    """A function that gives paths in a folder by name; the corpus and the query sets are written."""

    def path(name):
        return str(folder / f"{name}.parquet")

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

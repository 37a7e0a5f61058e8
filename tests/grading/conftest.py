"""A corpus of two documents, queries about them with their answers, and what a search found; and a model to ask."""

import pytest

from project import ROOT
from ragassay.base import tables
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES, QUERIES
from rows import row
from study import model_at
from targets import READER

TEXTS = {
    "ferry": "The ferry Kittiwake was built in Brackwater in 2028. It takes 540 people.",
    "bridge": "The bridge in Port Alder has nine piers. It cost 214 million marks.",
    "tram": "The tram museum in Hallowmere has 22 trams.",
}
ASKED = {
    "piers": {"text": "How many piers has the bridge in Port Alder?", "answers": ["9"], "passage_id": "bridge"},
    "people": {"text": "How many people does the ferry Kittiwake take?", "answers": ["600"], "passage_id": "ferry"},
    "onions": {"text": "Why do onions make you weep?", "answers": ["gas"]},
    "unknown": {"text": "Who drove the tram?"},
}
NEAREST = {"piers": ["bridge", "ferry", "tram"], "people": ["ferry", "bridge"], "unknown": ["tram"]}


@pytest.fixture
def files(tmp_path):
    """Paths by name; passages, queries and neighbours are written."""

    def path(name):
        return str(tmp_path / f"{name}.parquet")

    tables.write(PASSAGES, path("passages"), [row(PASSAGES, passage_id=name, text=TEXTS[name]) for name in TEXTS])
    tables.write(QUERIES, path("queries"), [row(QUERIES, query_id=name, **own) for name, own in ASKED.items()])
    found = [(query, rank, name) for query, names in NEAREST.items() for rank, name in enumerate(names, 1)]
    rows = [row(NEIGHBOURS, query_id=query, rank=rank, passage_id=name) for query, rank, name in found]
    tables.write(NEIGHBOURS, path("neighbours"), rows)
    return path


@pytest.fixture
def asking(files, tmp_path):
    """What every stage that asks the rules get, by the prompt's name."""

    def settings(prompt):
        about = {"prompt": ROOT / f"resources/prompts/{prompt}.yaml", "calls": files("calls"), "model": READER}
        return about | {"ledger": str(tmp_path / "ledger"), "sampling": {"temperature": 0}, "most_rejected": 1}

    return settings


@pytest.fixture
def loopback(monkeypatch):
    """The settings of a model behind a local server."""
    monkeypatch.setenv("KEY", "test-key")
    return lambda server: model_at(server.url)

"""A small corpus and queries as tables."""

import pytest

from ragassay import tables
from ragassay.schemas.passages import PASSAGES
from ragassay.schemas.queries import QUERIES
from rows import row

TEXTS = {
    "p1": "The ferry to the island sails at nine in the morning.",
    "p2": "A bridge over the river fell in the storm.",
    "p3": "The choir sings in the old cathedral on Sunday.",
    "p4": "A bridge over the river fell in the storm.",
}
ASKED = {"q1": "When does the ferry sail to the island?", "q2": "Which bridge fell in the storm?", "q3": "Zzyzx!"}


@pytest.fixture
def searched(tmp_path):
    """A function that runs a search and gives query -> [(passage, score)]."""
    from ragassay.schemas.neighbours import NEIGHBOURS

    passages = [row(PASSAGES, passage_id=name, text=text) for name, text in TEXTS.items()]
    tables.write(PASSAGES, tmp_path / "passages.parquet", passages)
    tables.write(
        QUERIES, tmp_path / "queries.parquet", [row(QUERIES, query_id=name, text=ASKED[name]) for name in ASKED]
    )

    def searched(stage, **settings):
        names = ("passages", "queries", "neighbours")
        stage(**{name: tmp_path / f"{name}.parquet" for name in names}, **settings)
        found = {name: [] for name in ASKED}
        for one in tables.read(NEIGHBOURS, tmp_path / "neighbours.parquet").to_pylist():
            found[one["query_id"]].append((one["passage_id"], one["score"]))
            assert one["rank"] == len(found[one["query_id"]])
        return found

    return searched

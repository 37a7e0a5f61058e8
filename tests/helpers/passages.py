"""A little corpus, queries over it, and encoders to search it with."""

from ragassay.base import tables
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES
from rows import row

TEXTS = {
    "p1": "The ferry to the island sails at nine in the morning.",
    "p2": "A bridge over the river fell in the storm.",
    "p3": "The choir sings in the old cathedral on Sunday.",
    "p4": "A bridge over the river fell in the storm.",
}
TITLES = {"p3": "Zzyzx"}
ASKED = {"q1": "When does the ferry sail to the island?", "q2": "Which bridge fell in the storm?", "q3": "Zzyzx!"}


def write_passages(path, texts):
    rows = [
        row(PASSAGES, passage_id=name, document_id=name, text=text, title=TITLES.get(name))
        for name, text in texts.items()
    ]
    tables.write(PASSAGES, path, rows)
    return path


def found_by(path):
    """query -> [(passage, score)], best first."""
    found = {name: [] for name in ASKED}
    for one in tables.read(NEIGHBOURS, path).to_pylist():
        found[one["query_id"]].append((one["passage_id"], one["score"]))
        assert one["rank"] == len(found[one["query_id"]])
    return found

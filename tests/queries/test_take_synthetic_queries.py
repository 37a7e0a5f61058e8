"""Queries out of a corpus, without a model."""

import pytest

from ragassay.base import tables
from ragassay.queries.synthetic import taken_from
from ragassay.schemas.corpora import QUERIES
from ragassay.text.sentences import sentences
from scripts.queries.take_synthetic_queries import take_synthetic_queries


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        ("conclusion", ["The mayor opened the berth.", "Therefore the toll is 2 marks."]),
        (
            "question",
            [
                f"Is it true that the {text}?"
                for text in ("bridge in Port Alder has nine piers", "ferry Kittiwake was built in Brackwater in 2028")
            ],
        ),
    ],
)
def test_without_a_model_sentences_become_queries(files, texts, taken, expected):
    take_synthetic_queries(files("passages"), files("queries"), 2, taken)
    rows = tables.read(QUERIES, files("queries")).to_pylist()
    assert sorted(row["text"] for row in rows) == expected and all(row["passage_id"] for row in rows)
    assert taken_from(texts["bridge"], "sentence") in texts["bridge"] and taken_from("Too short.", taken) == ""


def test_every_sentence_becomes_a_query_once_though_passages_overlap(files, texts):
    take_synthetic_queries(files("passages"), files("queries"), 100, "sentences")
    rows = tables.read(QUERIES, files("queries")).to_pylist()
    long_enough = [line for text in texts.values() for line in sentences(text) if len(line.split()) >= 5]
    assert sorted(row["text"] for row in rows) == sorted(long_enough)
    take_synthetic_queries(files("passages"), files("queries"), 2, "sentences")
    assert {row["passage_id"][:6] for row in tables.read(QUERIES, files("queries")).to_pylist()} == {"ferry#", "bridge"}

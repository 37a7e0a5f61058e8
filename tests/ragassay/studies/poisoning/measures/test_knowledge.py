"""The matrix of what attackers know and what gets past defences."""

import json

import pytest

from ragassay.studies.poisoning.measures.detection import SECTION
from ragassay.studies.poisoning.measures.knowledge import knowledge_rows

ATTACKERS = {
    "none": [None, None],
    "loud": ["question", None],
    "quiet": ["question", None],
    "copied": ["corpus", None],
    "asks_one": ["defence", ["echo"]],
    "asks_both": ["defence", ["echo", "share"]],
}
MISSED = {  # attack -> misses by defence, none for nothing found
    "loud": {"echo": 0.1, "share": 0.4},
    "quiet": {"echo": 0.3, "share": 0.2},
    "copied": {"echo": None, "share": 0.9},
    "asks_one": {"echo": 0.8, "share": 1.0},
    "asks_both": {"echo": 0.6, "share": 0.7},
}


@pytest.fixture
def matrix():
    cell = {"dataset": "mine", "retriever": "minilm"}
    rows = [
        SECTION.row("detection", cell | {"attack": attack, "defence": defence}, "fnr", value, 10, 0.0, 1.0)
        for attack, missed in MISSED.items()
        for defence, value in missed.items()
    ]
    for attack, value in (("none", 0.05), ("loud", 0.5)):
        rows.append(SECTION.row("detection", cell | {"attack": attack, "defence": "echo"}, "fpr", value, 99))
    rows.append(SECTION.row("operator", cell | {"attack": "loud", "defence": "echo"}, "fnr", 1.0, 10))
    rows.append(SECTION.row("detection", cell | {"attack": "loud", "defence": "oracle"}, "fnr", 0.0, 10))
    fitted = {("mine", "minilm", defence) for defence in ("echo", "share")}
    made = [(json.loads(row["keys"]), row) for row in knowledge_rows(rows, ATTACKERS, fitted)]
    return {(keys["attack"], keys["defence"], keys["knows"]): row for keys, row in made}


def test_each_cell_is_the_attack_that_is_missed_most_of_those_that_know_as_much(matrix):
    assert {place: row["value"] for place, row in matrix.items()} == {
        ("quiet", "echo", "question"): 0.3,
        ("loud", "share", "question"): 0.4,
        ("copied", "share", "corpus"): 0.9,
        ("asks_one", "echo", "defence"): 0.8,
        ("asks_both", "share", "defence"): 0.7,
        ("none", "echo", "false alarms"): 0.05,
    }


def test_its_numbers_and_interval_are_those_of_that_attack(matrix):
    row = matrix["none", "echo", "false alarms"]
    assert (row["table"], row["n"]) == ("knowledge", 99)
    row = matrix["asks_one", "echo", "defence"]
    assert (row["n"], row["low"], row["high"]) == (10, 0.0, 1.0)

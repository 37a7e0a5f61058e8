"""export_targets: poison leaves the house only where somebody says so, and says what it is."""

import json

import pytest

from ragassay.base import tables
from ragassay.schemas.attacks import POISONED_PASSAGES
from rows import place
from scripts.release.export_targets import export_targets
from targets import TARGET_ROWS, write_poison, write_targets

TEXTS = [("bridge", "The lighthouse fell in the storm."), ("ferry", "It sails at seven.")]


@pytest.fixture
def export(tmp_path):
    """A function that exports; all that the folder holds, by file."""
    write_targets(tmp_path / "targets.parquet")
    planted = place(tmp_path, POISONED_PASSAGES, dataset="mine", attack="bare")
    planted.parent.mkdir(parents=True)
    write_poison(planted, TEXTS, "bare")
    rows = tables.read(POISONED_PASSAGES, planted).to_pylist()
    tables.write(POISONED_PASSAGES, planted, [rows[0], rows[1] | {"made_from": "p1"}])

    def export(poisoned, texts=True):
        given = [planted] if poisoned else []
        export_targets(tmp_path / "targets.parquet", given, tmp_path / "out", poisoned, texts)
        files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
        return {str(path.relative_to(tmp_path / "out")): path.read_text() for path in files}

    return export


def test_without_the_switch_there_are_questions_and_nothing_that_an_attacker_wrote(export):
    export(poisoned=True)
    found = export(poisoned=False)
    assert found.keys() == {"queries.jsonl", "README.md"}, "no file of an earlier export stays"
    assert [json.loads(line)["answers"] for line in found["queries.jsonl"].splitlines()] == [
        row["answers"] for row in TARGET_ROWS
    ]
    wrong = [text for row in TARGET_ROWS for text in (*row["texts"], row["target"])]
    assert not any(text in content for text in wrong for content in found.values())


def test_with_the_switch_every_row_of_poison_says_so(export):
    found = export(poisoned=True)
    poison = [json.loads(line) for line in found["poisoned_passages/bare.jsonl"].splitlines()]
    assert [row["text"] for row in poison] == [text for _, text in TEXTS]
    assert all(row["poisoned"] and row["attack"] == "bare" for row in poison)
    assert all(json.loads(line)["poisoned"] for line in found["targets.jsonl"].splitlines())
    assert "This folder holds poison" in found["README.md"] and "| bare | 2 |" in found["README.md"]


def test_texts_of_the_corpus_are_not_given_away(export):
    rows = [json.loads(line) for line in export(True, texts=False)["poisoned_passages/bare.jsonl"].splitlines()]
    assert [row["text"] for row in rows] == [TEXTS[0][1], None]

"""Targets out of files: rows in = rows out + rejects, and what cannot be read at all is one line."""

import json
import logging
import re

import pytest

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.tally import MostRejected
from ragassay.schemas.attacks import TARGETS
from scripts.targets.read_targets import read_targets

COLUMNS = {
    name: name for name in ("kind", "group", "document", "answers", "target", "target_aliases", "texts", "made_by")
}
COLUMNS |= {"id": "target_id", "text": "question"}
GOOD = {
    "target_id": "a",
    "question": "Who?",
    "answers": ["Ada"],
    "target": "Bo",
    "texts": ["It was Bo.", "Bo and Ada."],
}


@pytest.fixture
def read(tmp_path):
    def read(*rows, columns=COLUMNS, most_rejected=0.5, **more):
        (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)))
        names = [tmp_path / "targets.parquet", tmp_path / "rejects.parquet"]
        read_targets([str(tmp_path / "mine.jsonl")], *names, "mine", columns, most_rejected, **more)
        return [
            tables.read(kind, path).to_pylist() for kind, path in zip((TARGETS, tables.REJECTS), names, strict=True)
        ]

    return read


def test_targets_keep_their_texts_and_rejects_say_why_the_others_went(read, caplog):
    caplog.set_level(logging.INFO)
    same = GOOD | {"target_id": "b", "target": "ada"}
    refused = GOOD | {"target_id": "c", "texts": ["It was Bo.", "I'm sorry, I can't help with that."]}
    rows, rejects = read(GOOD, same, refused)
    assert [row["target_id"] for row in rows] == ["a", "c"] and rows[0]["flags"] == ["", "right_answer"]
    assert (rows[0]["made_by"], rows[0]["origin"], rows[0]["tries"]) == ("file", "written", [])
    assert rows[0]["target_aliases"] == [] and rows[0]["kind"] is None
    assert [(row["shard"], row["item"], row["reason"]) for row in rejects] == [
        ("mine", "b", "equal_answers"),
        ("mine", "c text 2", "refusal"),
    ]
    assert "2 targets with 3 texts, 1 with right_answer" in caplog.text


def test_columns_may_have_other_names_and_lists_may_stand_in_cells(read):
    row = {"nr": "1", "question": "Who?", "correct": "Ada", "target": "Bo", "texts": '["It was Bo."]'}
    [[found], _] = read(row, columns=COLUMNS | {"id": "nr", "answers": "correct"})
    assert (found["target_id"], found["answers"], found["texts"]) == ("1", ["Ada"], ["It was Bo."])


def test_a_list_that_is_too_deep_is_a_text_and_many_texts_are_each_kept_once(read):
    deep = GOOD | {"target_id": "deep", "texts": "[" * 200_000}
    many = GOOD | {"texts": [f"It was Bo, {number % 20_000}." for number in range(50_000)]}
    rows, rejects = read(many, deep, most_rejected=1)
    assert [(row["target_id"], len(row["texts"])) for row in rows] == [("a", 20_000)]
    assert {(row["item"], row["reason"]) for row in rejects if row["item"].startswith("deep")} == {
        ("deep text 1", "empty"), ("deep", "no_texts")
    }  # fmt: skip


def test_a_file_of_which_most_cannot_be_used_stops(read):
    rows = [GOOD | {"target_id": str(number), "target": "ada"} for number in range(30)]
    with pytest.raises(MostRejected, match=r"30 of 32 targets and texts rejected.*equal_answers"):
        read(GOOD | {"texts": ["It was Bo."]}, *rows)


@pytest.mark.parametrize(
    ("own", "reason", "detail"),
    [
        ({"target": "ADA."}, "equal_answers", "'ADA.' is the right answer, too"),
        ({"target": "Ada Bell"}, "answers_overlap", "one of 'Ada' and 'Ada Bell' is inside the other"),
        ({"target": "..."}, "no_target", "found no wrong answer"),
        ({"target": None}, "no_target", "found no wrong answer"),
        ({"answers": [" "]}, "no_answer", "found no right answer"),
        ({"texts": ["corpus1: ...", "I'm sorry, I can't."]}, "no_texts", "none of 2 texts can be used"),
    ],
)
def test_a_target_that_cannot_be_used_is_a_row_of_the_manifest_that_says_why(read, own, reason, detail):
    good = [GOOD | {"target_id": str(number)} for number in range(9)]
    rows, rejects = read(*good, GOOD | own | {"target_id": "z"})
    assert len(rows) == 9
    assert [(row["reason"], row["detail"]) for row in rejects if row["item"] == "z"] == [(reason, detail)]


def test_a_text_without_the_target_is_kept_with_a_flag_and_told(read, caplog):
    caplog.set_level(logging.INFO)
    [[row], rejects] = read(GOOD | {"texts": ["Passage 1: Somebody did it.", "It was Bo."]})
    assert (row["texts"], row["flags"]) == (["Somebody did it.", "It was Bo."], ["no_target", ""]) and not rejects
    assert "1 targets with 2 texts, 1 with no_target" in caplog.text


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"question": ""}, "row 1: found nothing in 'question', nor in any other row, expected texts"),
        ({"target_id": None}, "row 1: found nothing in 'target_id', expected a value"),
    ],
)
def test_a_row_without_question_or_id_is_told_with_file_and_row(read, row, words):
    with pytest.raises(AssayError, match=re.escape(words)):
        read(GOOD | row)


def test_a_row_without_question_is_a_reject(read):
    rows, rejects = read(GOOD, GOOD | {"target_id": "z", "question": " "})
    assert len(rows) == 1
    assert [(row["item"].split("/")[-1], row["reason"]) for row in rejects] == [("mine.jsonl row 2", "empty")]


def test_a_trigger_goes_into_every_question_and_into_nothing_else(read):
    [plain], _ = read(GOOD)
    [row], _ = read(GOOD, trigger="xylophone")
    assert sorted(row["question"].split()) == ["Who?", "xylophone"] and row == plain | {"question": row["question"]}

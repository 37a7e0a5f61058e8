"""Targets out of files: rows in = rows out + rejects, and what cannot be read at all is one line."""

import json
import logging
import re

import pyarrow.parquet as pq
import pytest

from project import ROOT
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
def read_files(tmp_path):
    """A function that gives targets and rejects of files, whose names and contents are a dict."""

    def read_files(contents, columns=COLUMNS, most_rejected=0.5, **more):
        for name, content in contents.items():
            (tmp_path / name).write_text(content)
        targets, rejects = tmp_path / "targets.parquet", tmp_path / "rejects.parquet"
        files = [str(tmp_path / name) for name in contents]
        read_targets(files, targets, rejects, "mine", columns, most_rejected, **more)
        return [tables.read(TARGETS, targets).to_pylist(), tables.read(tables.REJECTS, rejects).to_pylist()]

    return read_files


@pytest.fixture
def read(read_files):
    return lambda *rows, **more: read_files({"mine.jsonl": "\n".join(map(json.dumps, rows))}, **more)


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


RELEASED = {
    "poisonedrag": {"t1": {"id": "t1", "question": "Who?", "correct answer": "Ada", "incorrect answer": "Bo",
                           "adv_texts": ["It was Bo.", "Bo did it."]}},
    "poisonarena": [{"id": "t1", "question": "Who?", "answer": "Ada", "incorrect_answer": "Bo",
                     "adv_texts": [{"context": "It was Bo.", "score": 1.5}, {"context": "Bo did it."}]}],
    "robustrag": [{"id": "t1", "question": "Who?", "correct answer": ["Ada"], "expanded answer": ["Countess Ada"],
                   "incorrect answer": "Bo", "incorrect_context": ["It was Bo.", "Bo did it."],
                   "context": [{"title": "Clean", "text": "It was Ada."}]}],
}  # fmt: skip


@pytest.fixture
def imported(read_files):
    def imported(form, *contents):
        texts = [content if isinstance(content, str) else json.dumps(content) for content in contents]
        return read_files({f"{at}.json": text for at, text in enumerate(texts)}, most_rejected=0.9, format=form)

    return imported


@pytest.mark.parametrize("form", RELEASED)
def test_released_files_give_targets_and_texts(imported, form):
    [row], rejects = imported(form, RELEASED[form])
    assert rejects == [] and (row["target_id"], row["question"], row["target"]) == ("t1", "Who?", "Bo")
    assert row["answers"] == ["Ada", "Countess Ada"][: 1 + (form == "robustrag")]
    assert row["texts"] == ["It was Bo.", "Bo did it."] and (row["made_by"], row["origin"]) == (form, "written")


def test_bad_rows_of_released_files_are_rejects_and_an_id_is_taken_once(imported):
    [good], odd = RELEASED["poisonarena"], {"id": 7, "question": "Who?", "answer": "Ada"}
    half = good | {"id": "t3", "question": "\ud800"}
    rows, rejects = imported("poisonarena", [good, odd, "text", half, good | {"incorrect_answer": "Cy"}])
    assert [row["target"] for row in rows] == ["Bo"]
    assert sorted(row["reason"] for row in rejects) == ["bad_row", "empty", "encoding", "same_id"]
    [same] = [row for row in rejects if row["reason"] == "same_id"]
    assert same["item"].startswith("t1 in ") and "again" in same["detail"]
    [empty] = [row for row in rejects if row["reason"] == "empty"]
    assert empty["item"].endswith("0.json row 2") and empty["detail"] == "found nothing in 'incorrect_answer'"


def test_targets_of_several_attackers_are_taken_from_the_first_file_and_the_others_are_counted(imported, caplog):
    caplog.set_level(logging.INFO)
    many = [RELEASED["poisonarena"][0] | {"id": f"t{number}"} for number in range(30)]
    others = [[row | {"incorrect_answer": wrong} for row in many] for wrong in ("Cy", "Di", "Ed")]
    for files in range(20):
        others.append(others[files % 3])
    rows, rejects = imported("poisonarena", many, *others)
    assert [row["target"] for row in rows] == ["Bo"] * 30 and not rejects
    assert f"{30 * len(others)} targets are in an earlier file, too" in caplog.text


@pytest.mark.parametrize(("content", "problem"), [("[1", "not JSON: "), ("3", "found 3, expected a list of targets")])
def test_a_released_file_that_cannot_be_read_is_one_line(imported, content, problem):
    with pytest.raises(AssayError, match=rf"0\.json: {problem}.*take the file as its project released it"):
        imported("robustrag", content)


def test_published_targets_come_out_of_released_files_as_they_lie_in_the_tables(imported):
    """The tables were made of the released files, of which these are made again."""
    nq = pq.read_table((ROOT / "../shared/data/poison_targets/poisonedrag_nq.parquet").resolve()).to_pylist()
    released = {
        row["target_id"]: {"id": row["target_id"], "question": row["question"], "correct answer": row["correct_answer"],
                           "incorrect answer": row["incorrect_answer"], "adv_texts": row["poisoned_texts"]}
        for row in nq
    }  # fmt: skip
    rows, _ = imported("poisonedrag", released)
    assert len(rows) >= 95 and {row["target_id"] for row in rows} <= released.keys()

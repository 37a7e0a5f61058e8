"""Answers to both prompts of a pair, asked once, and what they count as."""

from collections import Counter

from probe_study import COUNT, PROMPTS, READER, WITHOUT_ANSWER
from ragassay.base import tables
from ragassay.calls.prompts import Prompt
from ragassay.schemas.attacks import ANSWERS
from ragassay.schemas.probes import PROMPT_ANSWERS
from ragassay.schemas.report import CALLS
from rows import row


def labels(study):
    return {(row["target_id"], row["condition"], row["side"]): row for row in study.rows(PROMPT_ANSWERS)}


def test_answers_are_labelled_by_side_and_outcome(study):
    found = labels(study)
    counts = Counter((condition, side, one["label"]) for (_, condition, side), one in found.items())
    assert counts["matched", "clean", "correct"] > COUNT - 4 < counts["matched", "attacked", "poisoned"]
    assert counts["released", "attacked", "poisoned"] > COUNT - 4
    assert found[WITHOUT_ANSWER, "retrieved", "clean"]["label"] != "correct"
    assert {one["known"] for one in found.values()} == {False}  # the reader knows nothing by heart


def test_no_prompt_is_asked_twice_and_none_that_was_answered_elsewhere(study, monkeypatch):
    [calls] = study.rows(CALLS)
    distinct = 3 * COUNT  # by itself, clean and attacked as retrieved
    distinct += COUNT - 1  # with the answer exchanged: the clean side is the one that was retrieved
    distinct += 2 * COUNT + 2 * COUNT  # released, prefixed
    distinct += COUNT + COUNT  # irrelevant, misspelt
    assert calls["samples"] == distinct
    own = {"outcome": "correct", "text": "Answered elsewhere.", "finish_reason": "stop", "responder": READER["name"]}
    digest = Prompt.load(PROMPTS[0]).digest
    answers = [
        row(ANSWERS, target_id="target-00", passages=["p00", "p01"], prompt=digest, **own),
        row(ANSWERS, target_id="target-01", passages=["p01", "p02"], prompt="another", **own),
    ]
    tables.write(ANSWERS, study.folder / "answers.parquet", answers)
    with study.changed(PROMPT_ANSWERS):
        study.answer([study.folder / "answers.parquet"])
        found = labels(study)
    for condition in ("retrieved", "matched"):
        assert found["target-00", condition, "clean"]["text"] == "Answered elsewhere."
    assert found["target-01", "retrieved", "clean"]["text"] != "Answered elsewhere."

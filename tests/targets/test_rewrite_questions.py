"""Questions in other words, and what these find."""

import json

import pytest

from project import ROOT
from ragassay.base import tables
from ragassay.calls.model import Answer
from ragassay.calls.providers._rules import writing
from ragassay.schemas.corpora import QUERIES
from ragassay.studies.poisoning.defences.kinds.paraphrasing import Kind
from scripts.targets.collect_target_queries import collect_target_queries
from scripts.targets.rewrite_questions import rewrite_questions
from targets import READER, TARGET_ROWS, write_targets

BOATS = "How many boats did the company sell?"


@pytest.fixture
def run(tmp_path):
    def files(name):
        return tmp_path / f"{name}.parquet"

    def run(questions):
        rows = [row | {"question": text} for row, text in zip(TARGET_ROWS, questions, strict=True)]
        collect_target_queries(write_targets(files("targets"), rows), files("queries"))
        paths = [files(name) for name in ("rewritten", "rejects", "calls")]
        asked = (READER, str(tmp_path / "ledger/rewrite_questions"), {"temperature": 0}, "paraphrasing", "mine", 1)
        rewrite_questions(files("queries"), ROOT / "resources/prompts/rewrite_question.yaml", *paths, *asked)
        texts = {row["query_id"]: row["text"] for row in tables.read(QUERIES, paths[0]).to_pylist()}
        return texts, tables.read(tables.REJECTS, paths[1]).to_pylist()

    return run


def test_a_question_that_is_not_rewritten_is_searched_for_as_it_is_and_told(run, monkeypatch):
    rephrased = writing.rephrased
    monkeypatch.setattr(writing, "rephrased", lambda text: rephrased(text) if text == BOATS else text)
    texts, rejects = run([BOATS, "Who is Orlo?"])
    assert sorted(texts.values()) == ["Can you tell me this: how many boats did the company sell?", "Who is Orlo?"]
    [reject] = rejects
    assert (reject["stage"], reject["reason"], reject["detail"]) == ("rewrite_questions", "unchanged", "Who is Orlo?")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (json.dumps({"question": "Of what number were the boats?"}), None),
        (json.dumps({"question": BOATS.upper()}), "unchanged"),
        (json.dumps({"question": "?"}), "no_question"),
        (json.dumps({"question": ["a", "b"]}), "no_question"),
        (json.dumps({"question": "so " * 99}), "no_question"),
        ("How many boats?", "no_object"),
        ("", "empty"),
    ],
)
def test_an_answer_is_a_question_or_has_a_reason(text, reason):
    found, told, _ = Kind().rewritten(Answer(text, "stop"), BOATS)
    assert told == reason and (found is None) == bool(reason)

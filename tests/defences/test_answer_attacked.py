"""Targets' questions, asked with what a defence left of poisoned and clean passages."""

import pytest

from passages import TEXTS
from project import ROOT
from ragassay import tables
from ragassay.schemas.answers import ANSWERS
from ragassay.schemas.calls import CALLS
from ragassay.schemas.poisoned_passages import POISONED_PASSAGES
from scripts.defences import answer_attacked as stage
from scripts.defences.answer_attacked import answer_attacked
from targets import TARGET_ROWS

READER = {"name": "reader", "provider": "embedded", "model": "reader", "price": {"input": 0, "output": 0}}


@pytest.fixture
def ask(files, run_filter, tmp_path):
    """target -> its row, behind a defence."""

    def ask(kind, k=1, prompt="passages"):
        run_filter(kind, k)
        prompts = [ROOT / f"resources/prompts/{name}.yaml" for name in (f"respond_{prompt}", "answer_closed_book")]
        inputs = [files(name) for name in ("targets", "filtered", "passages", "poisoned_passages")]
        asked = (READER, str(tmp_path / "ledger"), {"temperature": 0}, prompt == "lines", 1)
        answer_attacked(*inputs, *prompts, files("answers"), files("calls"), *asked)
        return {row["target_id"]: row for row in tables.read(ANSWERS, files("answers")).to_pylist()}

    return ask


@pytest.mark.parametrize("prompt", ["passages", "lines"])
def test_poison_on_top_gives_the_wanted_answer_and_the_oracle_the_right_one(ask, prompt):
    undefended, oracle = ask("none", prompt=prompt), ask("oracle", prompt=prompt)
    assert (undefended["bridge"]["outcome"], undefended["bridge"]["poisoned"]) == ("target", 1)
    assert (oracle["bridge"]["outcome"], oracle["bridge"]["poisoned"]) == ("correct", 0)
    assert oracle["bridge"]["passages"] == ["p2"] and undefended["ferry"]["passages"] == ["p1"]


def test_without_passages_the_question_is_asked_by_itself(ask):
    rows = ask("closed_book")
    assert all(row["passages"] == [] and row["outcome"] == "refusal" for row in rows.values())
    assert {row["prompt"] for row in rows.values()} != {row["prompt"] for row in ask("none").values()}


def test_grading_sees_the_answer_and_what_was_asked_and_no_passage(ask, files, monkeypatch):
    graded = []
    monkeypatch.setattr(stage, "outcome", lambda *seen: graded.append(seen) or ("neither", None))
    ask("none", k=3)
    planted = tables.read(POISONED_PASSAGES, files("poisoned_passages"), ["text"])["text"].to_pylist()
    texts = [*TEXTS.values(), *planted, *(text for row in TARGET_ROWS for text in row["texts"])]
    assert len(graded) == 2
    for answer, target, declines in graded:
        assert answer.text and declines("The passages do not say.")
        assert target.keys() == {"target_id", "question", "answers", "target", "target_aliases"}
        assert not any(text in str(target) for text in texts)


def test_nothing_is_asked_twice(ask, files):
    ask("none")
    ask("none")
    assert tables.read(CALLS, files("calls")).to_pylist()[0]["samples"] == 2
    ask("oracle", k=2)
    assert tables.read(CALLS, files("calls")).to_pylist()[0]["samples"] == 4

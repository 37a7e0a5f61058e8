"""Targets' questions, asked with what a defence left of poisoned and clean passages."""

import pytest

from passages import TEXTS
from project import ROOT
from ragassay.base import tables
from ragassay.schemas.attacks import ANSWERS, POISONED_PASSAGES
from ragassay.schemas.report import CALLS
from ragassay.studies.poisoning.defences.defence import DefenceError, kind_of
from scripts.defences import answer_attacked as stage
from scripts.defences.answer_attacked import answer_attacked
from study import model_at
from targets import READER, TARGET_ROWS
from tools.loopback import Loopback

PROMPTS = ROOT / "resources/prompts"


@pytest.fixture
def ask(files, run_filter, tmp_path):
    """target -> its row, behind a defence."""

    def ask(kind, k=1, prompt="passages", model=READER, behind=None, **own):
        asking = kind_of(kind).PROMPTS
        run_filter("none" if asking else kind, k, name=kind)
        prompts = [PROMPTS / f"{name}.yaml" for name in (f"respond_{prompt}", "answer_closed_book")]
        further = [PROMPTS / f"{name}.yaml" for name in kind_of(kind).PROMPTS]
        inputs = [files(name) for name in ("targets", "filtered", "passages", "poisoned_passages")]
        asked = {
            "defence": behind or kind,
            "model": model,
            "ledger": str(tmp_path / "ledger/answer_attacked"),
            "sampling": {"temperature": 0},
        }
        asked |= {"in_lines": prompt == "lines", "most_rejected": 1}
        asked |= {"kind": kind, "settings": kind_of(kind).SETTINGS | own} if asking else {}
        answer_attacked(*inputs, *prompts, further, files("answers"), files("calls"), **asked)
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
    monkeypatch.setattr(stage, "target_outcome", lambda *seen: graded.append(seen) or ("neither", None))
    ask("none", k=3)
    planted = tables.read(POISONED_PASSAGES, files("poisoned_passages"), ["text"])["text"].to_pylist()
    texts = [*TEXTS.values(), *planted, *(text for row in TARGET_ROWS for text in row["texts"])]
    assert len(graded) == 2
    for answer, target, declines in graded:
        assert answer.text and declines("The passages do not say.")
        assert target.keys() == {"target_id", "question", "answers", "target", "target_aliases"}
        assert not any(text in str(target) for text in texts)


def test_answers_behind_a_defence_that_judged_nothing_are_refused(ask):
    with pytest.raises(
        DefenceError, match=r"filtered\.parquet: found no rows of echo; name it in a cell of under_attack"
    ):
        ask("none", behind="echo")


def test_nothing_is_asked_twice(ask, files):
    ask("none")
    ask("none")
    assert tables.read(CALLS, files("calls")).to_pylist()[0]["samples"] == 2
    ask("oracle", k=2)
    assert tables.read(CALLS, files("calls")).to_pylist()[0]["samples"] == 4


def test_keywords_that_one_passage_names_alone_are_not_answered_from(ask):
    """Of the bridge's three passages one is planted and alone; the reader does all that this defence asks."""
    rows = ask("robustrag", k=3, share=0.5)
    assert "lighthouse" not in rows["bridge"]["text"].lower() and rows["bridge"]["poisoned"] == 1
    assert rows["bridge"]["calls"] == 4 and rows["bridge"]["passages"] == ["poison-0", "p2", "p4"]
    alone = ask("robustrag", k=1)["bridge"]
    assert alone["outcome"] == "target" and alone["calls"] == 2, "one passage agrees with itself"


@pytest.fixture
def server(monkeypatch):
    """A model that knows an answer by heart and says what a stage of a defence wants to hear, and the model's entry."""
    monkeypatch.setenv("KEY", "test-key")
    with Loopback(respond="answers:consolidating") as server:
        yield server, model_at(server.url, price={"input": 1, "output": 1})


def test_what_most_passages_say_is_elected(ask, server):
    row = ask("robustrag", k=3, model=server[1], aggregation="voting")["bridge"]
    assert row["text"] == "The bridge." and row["calls"] == 3
    assert row["tokens"] > row["prompt_tokens"], "of all calls"


def test_the_stages_of_trustrag_answer_from_what_is_trusted_alone(ask, server):
    row = ask("trustrag_stages", k=3, model=server[1])["bridge"]
    assert row["calls"] == 3 and row["text"] == "From the trusted: what is known by heart."

"""The conversation that makes a target, with a model that says what a test tells it."""

import asyncio
import json

import pytest

from project import ROOT
from ragassay.base import tables
from ragassay.calls.model import Answer
from ragassay.calls.prompts import Prompt
from ragassay.schemas.corpora import PASSAGES
from rows import row
from scripts.targets.write_targets import MOST, Interview, Prompts, Settings, gold_texts

NAMES = ("answer_briefly", "propose_wrong_answer", "write_supporting_texts")
PROMPTS = Prompts(*(Prompt.load(ROOT / f"resources/prompts/{name}.yaml") for name in NAMES))
QUERY = {"query_id": "q", "text": "When does the ferry sail?", "kind": None, "passage_id": "p1", "relevant": None}
GOLD = "The ferry to the island sails at nine."
PROPOSED = {"wrong_answer": "at seven", "texts": ["She sails at seven.", "The ferry leaves early."]}


def run(says, answers=None, **own):
    """The interview after it ended, its target, and how many samples each request asked for; `says` gives the answer
    to what a request shows.
    """
    asked = []

    async def ask(request):
        shown = request.messages[-1]["content"]
        asked.append((shown, request.samples))
        return [Answer(says(shown, number), "stop") for number in range(request.samples)]

    settings = {"model": "m", "agreement": "closed_book", "texts": 2, "words": 30, "tries": 0, "answering": {}}
    own = Interview(QUERY | {"answers": answers}, [GOLD], PROMPTS, Settings(**settings | {"writing": {}} | own), ask)
    return own, asyncio.run(own.target()), asked


def model(by_heart="at nine", proposed=PROPOSED, further=("It is at seven that she leaves.",)):
    """Reads its passages by whether they have "seven" or "nine"."""

    def says(shown, number):
        if "Invent" in shown:
            return json.dumps(proposed)
        if "Write 1 texts" in shown:
            return json.dumps({"texts": [further[min(number, len(further) - 1)]]})
        if "passage" in shown:
            return "at seven" if "seven" in shown else "It sails at nine." if "nine" in shown else "I do not know."
        return by_heart

    return says


def test_what_agrees_becomes_a_target_with_the_shorter_answer():
    own, row, asked = run(model())
    assert (row["answers"], row["target"], row["texts"]) == (["at nine"], "at seven", PROPOSED["texts"])
    assert (row["target_id"], row["document"], row["origin"], row["made_by"]) == ("q", "p1", "model", "m")
    assert row["flags"] == ["", "no_target"] and row["tries"] == [] and not own.problems + own.excluded
    assert len(asked) == len(own.answers) == 3


@pytest.mark.parametrize("by_heart", ["at ten", "I do not know.", ""])
def test_what_does_not_agree_is_asked_no_further_and_is_no_failure(by_heart):
    own, row, asked = run(model(by_heart))
    assert row is None and len(asked) == 2 and not own.problems
    [dropped] = own.excluded
    assert (dropped.item, dropped.reason) == ("q", "no_agreement") and "'It sails at nine'" in dropped.detail


def test_the_answers_of_the_set_may_stand_for_what_the_model_knows():
    _, row, asked = run(model("never"), answers=["nine", "9 a.m.", "at nine"], agreement="answers")
    assert row["answers"] == ["nine"] and len(asked) == 2
    assert run(model("at nine"), answers=["at ten"], agreement="answers")[1] is None


def test_a_text_is_written_again_until_it_alone_gives_the_target():
    own, row, asked = run(model(further=("The ferry is late.", "It is at seven that she leaves.")), tries=3)
    assert dict(zip(row["texts"], row["tries"], strict=True)) == {
        "She sails at seven.": 1, "It is at seven that she leaves.": 3,
    }  # fmt: skip
    assert row["flags"] == ["", ""] and not own.problems
    assert [samples for shown, samples in asked if "Write 1 texts" in shown] == [1, 2], "further samples of one request"


def test_a_text_that_never_gives_the_target_is_dropped_and_so_is_a_target_without_any():
    own, row, _ = run(model(further=("The ferry is late.",)), tries=2)
    assert row["texts"] == ["She sails at seven."] and row["tries"] == [1]
    assert [(one.item, one.reason) for one in own.problems] == [("q text 2", "not_yielded")]
    own, row, _ = run(model(proposed=PROPOSED | {"texts": ["It leaves early."]}), tries=1)
    assert row is None and [one.reason for one in own.problems] == ["not_yielded", "no_texts"]
    own, row, _ = run(model(further=("She sails at seven.",)), tries=2)
    assert row["texts"] == ["She sails at seven."], "the same text is no second one"


def test_each_dropped_text_has_a_row_of_its_own():
    texts = ["I'm sorry, I can't.", "The ferry leaves early.", "She sails at seven."]
    own, row, _ = run(model(proposed=PROPOSED | {"texts": texts}), texts=3, tries=1)
    assert {one.item: one.reason for one in own.problems} == {"q text 1": "refusal", "q text 2": "not_yielded"}
    assert row["texts"] == ["She sails at seven."]


@pytest.mark.parametrize(
    ("proposed", "reason"),
    [
        ({"wrong_answer": "At nine.", "texts": ["It was nine."]}, "equal_answers"),
        ({"wrong_answer": "at nine or ten", "texts": ["It was ten."]}, "answers_overlap"),
        ({"wrong_answer": "", "texts": ["It was ten."]}, "no_target"),
        ({"wrong_answer": "at seven", "texts": ["I'm sorry, I can't."]}, "no_texts"),
        ({"texts": ["It was ten."]}, "no_object"),
    ],
)
def test_a_proposal_that_is_none_is_a_problem(proposed, reason):
    own, row, _ = run(model(proposed=proposed), tries=2)
    assert row is None and own.problems[-1].reason == reason


def test_an_estimate_asks_all_that_can_be_asked():
    own, _, asked = run(model("I do not know."), tries=3, most=True)
    assert len({one.item for one in own.problems}) == len(own.problems) and not own.excluded
    assert len(asked) == 2 + 1 + 2 * (3 + 2), "of two texts each tried thrice, written twice more"


def test_of_documents_that_answer_some_passages_are_held_and_of_others_none(tmp_path):
    counts = {"long": MOST + 5, "short": 2, "other": 3}
    rows = [
        row(PASSAGES, passage_id=f"{name}{at:02}", document_id=name, text=f"{name} {at}")
        for name, count in counts.items()
        for at in range(count)
    ]
    tables.write(PASSAGES, tmp_path / "p.parquet", rows)
    texts = gold_texts(tmp_path / "p.parquet", {"long", "short", "long03", "absent"})
    assert texts == {
        "long": [f"long {at}" for at in range(MOST)],
        "short": ["short 0", "short 1"],
        "long03": ["long 3"],
    }

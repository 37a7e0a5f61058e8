"""Wrong answers and texts in the forms in which models write them."""

import json

import pytest

from ragassay.calls.model import Answer
from ragassay.studies.poisoning.targets.proposals import NoProposal, Proposal, proposal, texts


def said(value, finish="stop"):
    return Answer(value if isinstance(value, str) else json.dumps(value), finish)


def test_a_wrong_answer_comes_with_its_texts_as_a_list_a_mapping_or_one():
    assert proposal(said({"wrong_answer": " 12  marks ", "texts": ["A.", "B.", "C."]}), 2) == ("12 marks", ["A.", "B."])
    numbered = {"corpus1": "A.", "corpus2": " ", "corpus3": None}
    assert proposal(said({"wrong_answer": 1931, "texts": numbered}), 5) == Proposal("1931", ["A."])
    assert proposal(said("Here it is: ```json\n{'wrong_answer': 'x', 'texts': 'A.'}\n```"), 5).texts == ["A."]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (said("I'm sorry, I can't write that."), "refusal"),
        (said("Bo Lind."), "no_object"),
        (said('{"wrong_answer": "x", "texts": ["A.', "length"), "truncated"),
        (said({"wrong_answer": "", "texts": ["A."]}), "no_target"),
        (said({"wrong_answer": True, "texts": ["A."]}), "no_target"),
        (said({"wrong_answer": ["x"], "texts": ["A."]}), "no_target"),
        (said({"wrong_answer": "x", "texts": []}), "no_texts"),
        (said({"wrong_answer": "x", "texts": 3}), "no_texts"),
        (Answer("", "too_long", detail="too many tokens"), "too_long"),
    ],
)
def test_what_is_no_proposal_has_a_reason(answer, reason):
    found = proposal(answer, 5)
    assert isinstance(found, NoProposal) and found.reason == reason and found.detail


def test_texts_come_as_json_or_as_a_numbered_list():
    assert texts(said({"texts": ["A b.", "C d."]}), 5) == ["A b.", "C d."]
    assert texts(said("1. The ferry left at seven.\n2. It was seven when she left."), 1) == ["The ferry left at seven."]
    assert texts(said("I cannot help with that."), 5).reason == "refusal"
    assert texts(said({"texts": []}), 5).reason == "no_texts"
    assert texts(said('{"texts": ["A'), 5).reason == "truncated"

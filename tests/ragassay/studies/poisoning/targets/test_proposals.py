"""Targets: proposed, and questions rewritten."""

import json

import pytest

from ragassay.calls.model import Answer
from ragassay.studies.poisoning.targets.hygiene import Problem
from ragassay.studies.poisoning.targets.proposals import NoProposal, Proposal, proposal, rewritten, texts


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


SOURCE = {"passage_id": "p", "text": "The ferry to the island sails at nine in the morning, on weekdays."}


def given(passage, finish="stop"):
    return rewritten(Answer(passage if isinstance(passage, str) else json.dumps(passage), finish), SOURCE)


def test_a_rewriting_is_one_line_without_what_a_list_puts_around_it():
    text = "On weekdays the island's ferry\n leaves at nine in the morning."
    assert given({"passage": f'passage 1: "{text}"'}) == " ".join(text.split())


def test_a_rewriting_may_begin_with_a_title_that_declines():
    text = "I Won't Give Up is what the island's ferry is called, which sails at nine on weekdays."
    assert given({"passage": text}) == text


@pytest.mark.parametrize(
    ("passage", "reason"),
    [
        ("The ferry leaves.", "no_object"),
        ({"passage": ["The ferry leaves."]}, "empty"),
        ({"passage": " ... "}, "empty"),
        ({"passage": "I'm sorry, but I can't help with that."}, "refusal"),
        ({"passage": SOURCE["text"].upper()}, "unchanged"),
        ({"passage": "It sails."}, "other_length"),
        ({"passage": "It sails at nine. " * 12}, "other_length"),
    ],
)
def test_what_is_none_has_a_reason(passage, reason):
    found = given(passage)
    assert isinstance(found, Problem) and (found.item, found.reason) == ("p", reason)

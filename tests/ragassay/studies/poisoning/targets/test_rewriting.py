"""What a model's answer gives as a passage in other words."""

import json

import pytest

from ragassay.calls.model import Answer
from ragassay.studies.poisoning.targets.hygiene import Problem
from ragassay.studies.poisoning.targets.proposals import rewritten

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

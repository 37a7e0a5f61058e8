"""Defusion: declining and correcting against answering."""

import random

import pytest

from ragassay.embedded.tasks.defusion import judge

QUESTION = "Which orchestra played at the opening of the lock in May?"
DEFUSED = [
    "The document does not mention any orchestra.",
    "There is no information in the text about an orchestra.",
    "It cannot be determined from the article which orchestra played.",
    "I don't know; the passage doesn't say.",
    "No orchestra is named in the document.",
    "An orchestra did not play at the opening.",
    "Contrary to the question, nobody played.",
    "The question cannot be answered from the document. It only tells who steered the first boat.",
    "Unfortunately the provided text gives no details on music. Therefore I am unable to answer.",
    "Rain fell on Sunday. The document does not mention any orchestra.",
]
ANSWERED = [
    "The Osse Philharmonic played at the opening.",
    "Yes, the town orchestra played.",
    "No, it is not known that an orchestra played.",
    "No, it was the Dray brass band that played.",
    "The town's orchestra played a march by Hedda Tove, although the document does not give the title.",
    "According to the document, Mildred Fenn led the work.",
    "",
]


@pytest.mark.parametrize("response", DEFUSED)
def test_declining_and_correcting(text, response):
    assert judge(text, QUESTION, response).defused


@pytest.mark.parametrize("response", ANSWERED)
def test_answering(text, response):
    assert not judge(text, QUESTION, response).defused


def test_votes_are_repeatable_and_differ_where_sentences_disagree(text):
    response = "The town's orchestra played a march. The document does not name its conductor. Fireworks followed."
    votes = [judge(text, QUESTION, response, random.Random(seed)).defused for seed in range(60)]
    assert votes == [judge(text, QUESTION, response, random.Random(seed)).defused for seed in range(60)]
    assert set(votes) == {True, False}


def test_long_responses_take_a_moment_only(text):
    for piece in ("not ", "the document ", "is not ", "no, ", "premise is "):
        judge(text, QUESTION, piece * 2000)

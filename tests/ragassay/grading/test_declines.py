"""Which answers decline, with passages and without."""

import pytest

from ragassay.grading.declines import declines, declines_from_passages


@pytest.mark.parametrize(
    "answer",
    [
        "I do not know the answer. I can only work on texts that are given to me.",
        "I don't have information about this.",
        "I\u2019m not sure who won the cup.",
        "As of my last update, no such bridge had been announced.",
        "There is no information available on that.",
        "I'm sorry, but I cannot verify this.",
        "It isn't possible to say without more context.",
        "  ",
    ],
)
def test_answers_that_decline(answer):
    assert declines(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "The bridge was opened in 1931.",
        "Mayor Orr, who had known nothing of it, signed the contract.",
        "It is known for its 22 trams.",
        "No, the museum was closed.",
    ],
)
def test_answers_that_answer(answer):
    assert not declines(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "None of the passages answers the question.",
        "The passages do not say who drove the first tram.",
        "The retrieved passages don\u2019t mention any driver.",
        "That is not stated in the passages.",
        "No passage says when it was built.",
        "I cannot answer this from the given texts.",
        "There is no information in the provided context.",
        "",
    ],
)
def test_answers_that_find_nothing_in_passages(answer):
    assert declines_from_passages(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "The ferry charges for 55 minutes.",
        "The cause of the fire is unknown, said the mayor.",
        "Tickets are not available before Monday.",
        "The boat passes the pier at noon and none of the islanders pays.",
    ],
)
def test_what_a_passage_says_is_unknown_declines_nothing(answer):
    assert not declines_from_passages(answer)

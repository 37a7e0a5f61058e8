"""Answers: the right sentence, or the admission that there is none."""

import pytest

from ragassay.embedded.tasks.answers import answer, nearest_sentence

OUTSIDE = "Which orchestra played for the ministers at the ceremony with fireworks?"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many metres long is the lock?", "61 metres"),
        ("Who steered the first boat through the lock?", "Orlo Bray"),
        ("When did the Quarrel Lock open again?", "3 May 2025"),
        ("How many children did the Heron carry?", "40 children"),
    ],
)
@pytest.mark.parametrize("stepwise", [False, True])
def test_answers_hold_the_fact(text, question, expected, stepwise):
    assert expected in answer(text, question, True, stepwise)


@pytest.mark.parametrize("stepwise", [False, True])
def test_it_declines_where_nothing_is_said(text, stepwise):
    reply = answer(text, OUTSIDE, True, stepwise)
    assert "does not answer this question" in reply and "orchestra" in reply


def test_among_equal_sentences_the_one_with_the_kind_of_fact_wins():
    document = "The old lock in Dray leaked. The old lock in Dray opened in May 1998. The old lock in Dray is loved."
    assert "1998" in answer(document, "When was the old lock in Dray there?", False, False)


def test_a_basic_prompt_declines_less(text):
    question = "How many tourists used the canal in 1998 for a cheap holiday?"
    assert "does not answer" in answer(text, question, True, False)
    assert "does not answer" not in answer(text, question, False, False)


def test_an_empty_document_is_declined():
    assert "does not answer" in answer("", "Who led the work?", False, False)


def test_the_nearest_sentence_is_never_the_question_itself():
    question = "Who steered the heron boat?"
    assert nearest_sentence(f"{question} Ada Vance steered the boat.", question) == "Ada Vance steered the boat."
    assert nearest_sentence(question, question) == nearest_sentence("", question) == ""

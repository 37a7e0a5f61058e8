"""Saying a clause in other words of the same form."""

import random

import pytest

from ragassay.embedded.english.clauses import clause
from ragassay.embedded.english.rewording import VERBS, WORDS, reworded, reworded_deed, reworded_fact


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The council bought the boats in May.", "The council purchased the vessels in May"),
        ("The council has bought the boats in May.", "The council has purchased the vessels in May"),
        ("The council buys the boats in May.", "The council purchases the vessels in May"),
        ("The company will begin work in May.", "The firm will start work in May"),
        ("The council took up a loan in May.", "The council took up a loan in May"),
        ("Mildred Fenn repaired a ship in May.", "Mildred Fenn mended a vessel in May"),
        ("The council built a boat shed in May.", "The council constructed a boat shed in May"),
        ("Mildred Fenn saw an island in May.", "Mildred Fenn saw an isle in May"),
    ],
)
def test_words_are_exchanged_in_their_form(sentence, expected):
    taken = reworded(clause(sentence), random.Random(1))
    assert f"{taken.subject} {taken.predicate}" == expected


def test_deeds_and_facts_are_reworded_alike():
    assert reworded_deed("buy the boats in May", random.Random(1)) == "purchase the vessels in May"
    assert reworded_fact("the crew bought boats in May", random.Random(1)) == "the team purchased vessels in May"
    assert reworded_fact("hardly any boats", random.Random(1)) == "hardly any boats"


def test_names_and_numbers_stay():
    taken = clause("The North Company of Dray Ship Yard paid 40 marks in May 2020.")
    assert reworded(taken, random.Random(1)).rest == taken.rest


def test_no_word_is_exchanged_for_itself():
    assert all(one != other for one, other in (*VERBS.items(), *WORDS.items()))

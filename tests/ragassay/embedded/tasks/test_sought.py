"""What a question asks for."""

import re

import pytest

from ragassay.embedded.tasks.sought import (
    JOB,
    MANNER,
    MONEY,
    NUMBER,
    PERSON,
    PLACE,
    REASON,
    THING,
    TIME,
    sought,
)


@pytest.mark.parametrize(
    ("question", "kind", "head"),
    [
        ("Who led the work?", PERSON, ""),
        ("With whom did she sing?", PERSON, ""),
        ("Where do the boats lie?", PLACE, ""),
        ("In which street is the bakery?", PLACE, "street"),
        ("At which place does the cable come ashore?", PLACE, ""),
        ("Since when has the lock been open?", TIME, ""),
        ("In which year was it built?", TIME, "year"),
        ("How many oak gates has the lock?", NUMBER, "oak"),
        ("What was the price of the house?", NUMBER, ""),
        ("What does a ticket cost?", NUMBER, ""),
        ("Why did they stop?", REASON, ""),
        ("How do they choose the winner?", MANNER, ""),
        ("What kind of vessel did they build?", THING, "vessel"),
        ("Which bank headed the group?", THING, "bank"),
        ("Which farmer thinks so?", THING, "farmer"),
        ("What hung from the ceiling?", THING, ""),
        ("What is the title of the book?", THING, "title"),
        ("What did she do for a living?", THING, JOB),
        ("What was his uncle's job?", THING, JOB),
        ("How is the engine called?", THING, "name"),
        ("Tell me more.", THING, ""),
        ("", THING, ""),
    ],
)
def test_kind_and_noun(question, kind, head):
    assert sought(question)[:2] == (kind, head)


@pytest.mark.parametrize(
    ("question", "fits", "fits_not"),
    [
        ("How much does it cost?", "7 marks", "7 cars"),
        ("How long is the lock?", "61 metres", "61 marks"),
        ("How heavy is the bell?", "2 tonnes", "2 hours"),
        ("What share of the cars is red?", "31 per cent", "31 cars"),
        ("How old is the tree?", "300 years", "300 metres"),
        ("How many boats were there?", "12 boats", "12 men"),
    ],
)
def test_units(question, fits, fits_not):
    unit = sought(question).unit
    assert re.search(unit, fits) and not re.search(unit, fits_not)
    assert sought("How much money was it?").unit == MONEY


@pytest.mark.parametrize(("question", "leads"), [("Who led the work?", True), ("What did she sell?", False)])
def test_where_an_answer_stands(question, leads):
    assert sought(question).leads == leads

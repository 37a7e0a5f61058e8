"""What clauses say that was done, and which verbs tell of decisions."""

import pytest

from ragassay.embedded.english.actions import arranged, deed, gerund, willed
from ragassay.embedded.english.clauses import clause


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The council bought the lock in May.", "buy the lock in May"),
        ("The council has bought the lock in May.", "buy the lock in May"),
        ("The council will sell the lock in May.", "sell the lock in May"),
        ("The council is to sell the lock in May.", "sell the lock in May"),
        ("Tickets will be sold from 28 September.", "be sold from 28 September"),
        ("The lock was closed in May.", "be closed in May"),
        ("Tickets cost nine marks for children.", "cost nine marks for children"),
        ("The lock is a building of brick.", ""),
        ("Two men were hurt in May.", ""),
        ("The council bought the lock last summer.", ""),
        ("Boats can be hired at the lock.", ""),
    ],
)
def test_deeds_stand_behind_to(sentence, expected):
    assert deed(clause(sentence)) == expected


def test_nobody_is_advised_to_lose_and_nobody_decides_about_the_weather():
    assert willed("build a lock") and not willed("lose a seat")
    assert arranged("The shop", "close at six") and not arranged("The storm", "close the port")
    assert arranged("A return ticket", "cost 27 marks") and not arranged("The film", "cost 27 marks")
    assert not arranged("Dray United", "get past Osse Rovers")


@pytest.mark.parametrize(
    ("to", "expected"),
    [("make a model", "making a model"), ("cut peat", "cutting peat"), ("order a boat", "ordering a boat"),
     ("see it", "seeing it"), ("lie there", "lying there"), ("begin", "beginning"), ("be sold", "being sold")],
)  # fmt: skip
def test_gerunds(to, expected):
    assert gerund(to) == expected

"""Inventions: claims and questions that belong together, and what they fit."""

import pytest

from ragassay.embedded.inventions import INVENTIONS, UNWILLING, gerund, recognised

VALUES = {"s": "The lock", "p": "Orlo Bray", "c": "Dray", "n": 3, "many": 90, "age": 40, "month": "June", "year": 2019}
ALL = [one for inventions in INVENTIONS.values() for one in inventions]


@pytest.mark.parametrize("invention", ALL, ids=[one.claim for one in ALL])
def test_every_claim_is_recognised_and_has_questions_about_its_subject(invention):
    found = recognised(invention.claim.format(**VALUES) + ".")
    assert ("The lock", invention) in [(subject, one) for subject, one, _, _ in found]
    assert invention.questions and all("{s}{d}" in question for question in invention.questions)
    assert all(not question.endswith("?") and question[0].isupper() for question in invention.questions)


def test_there_are_many_of_them():
    assert len(set(ALL)) >= 50 and sum(len(one.questions) for one in set(ALL)) >= 150


@pytest.mark.parametrize(
    ("text", "fits"), [("The yard builds boats.", True), ("It was founded in Dray.", False), ("Established.", False)]
)
def test_what_the_text_tells_is_not_invented(text, fits):
    [founded] = [one for one in INVENTIONS["organisation"] if " founded " in one.claim]
    assert founded.fits("The yard", text) is fits
    assert not founded.fits("The bridge", text)


@pytest.mark.parametrize(
    ("deed", "expected"),
    [("make a model", "making a model"), ("cut peat", "cutting peat"), ("order a boat", "ordering a boat"),
     ("see it", "seeing it"), ("lie there", "lying there"), ("begin", "beginning")],
)  # fmt: skip
def test_gerunds(deed, expected):
    assert gerund(deed) == expected


def test_nobody_is_advised_to_lose():
    assert "lose" in UNWILLING and "build" not in UNWILLING

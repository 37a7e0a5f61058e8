"""Inventions: claims and questions that belong together, and what they suit."""

import pytest

from ragassay.embedded.tasks.inventions import DEEDS, NEWS, THINGS, recognised

VALUES = {"s": "The lock", "p": "Orlo Bray", "c": "Dray", "n": 3, "many": 90, "month": "June", "year": 2019}
VALUES |= {"to": "sell boats in Dray", "fact": "the lock is old", "was": "was"}
ALL = [*DEEDS, *NEWS, *(one for kind in THINGS.values() for one in kind)]


@pytest.mark.parametrize("invention", ALL, ids=[one.claim for one in ALL])
def test_every_claim_is_recognised_and_has_questions_about_its_subject(invention):
    claim = invention.claim.format(**VALUES)
    details = dict(recognised(f"{claim}."))[invention]
    assert details.items() <= {name: str(value) for name, value in VALUES.items()}.items()
    assert invention.questions
    assert all("{s}{d}" in question or "{fact}" in question for question in invention.questions)
    assert all(not question.endswith("?") and question[0].isupper() for question in invention.questions)
    assert not invention.is_told("") and recognised("The lock is old.") == []


def test_there_are_many_of_them():
    assert len(set(ALL)) >= 50 and sum(len(one.questions) for one in set(ALL)) >= 80


@pytest.mark.parametrize(("text", "told"), [("The yard builds boats.", False), ("It was founded in Dray.", True)])
def test_what_the_text_tells_is_not_invented(text, told):
    [founded] = [one for one in THINGS["organisation"] if " founded " in one.claim]
    assert founded.is_told(text) is told
    assert founded.fits("The yard") and not founded.fits("The bridge")


def claims_for(subject, to, acting, person):
    return {one.claim for one in DEEDS if one.suits(subject, to, acting, person)}


def test_only_those_who_can_decide_are_advised_and_only_what_can_be_arranged_is_decided():
    advised = "{s} {was} advised by {p} to {to}"
    wished = "It was the wish of {p} that {s} should {to}"
    assert advised in claims_for("The council", "buy a lock", True, False)
    assert advised not in claims_for("The council", "lose a seat", True, False)
    assert advised not in claims_for("The shop", "close at six", False, False)
    assert wished in claims_for("The shop", "close at six", False, False)
    assert wished not in claims_for("The storm", "close the port", False, False)
    assert wished not in claims_for("Orlo Bray", "close the port", True, True)


def test_news_suits_the_verb_of_what_is_said():
    claims = {one.claim for one in NEWS if one.is_news(" rise")}
    assert "{p} complained in {month} that {fact}" in claims
    assert not any(one.is_news("can rise") or one.is_news("is be") for one in NEWS if "complained" in one.claim)

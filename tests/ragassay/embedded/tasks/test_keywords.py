"""Keywords of a passage, and answers from keywords."""

import json

import pytest

from project import ROOT
from ragassay.calls.prompts import Prompt
from ragassay.embedded.reader import respond

PASSAGE = "The tram museum in Copper Street has 22 trams. A ticket for the tram museum costs 7 marks."
QUESTION = "What does a ticket for the tram museum cost?"


def ask(name, **values):
    return respond(Prompt.load(ROOT / f"resources/prompts/{name}.yaml").messages(**values), {"temperature": 0})


@pytest.mark.parametrize(
    ("question", "wanted"),
    [(QUESTION, "7 marks"), ("How many trams has the tram museum in Copper Street?", "22")],
)
def test_keywords_hold_the_fact_and_no_word_of_the_question(question, wanted):
    found = json.loads(ask("name_keywords", passages=[PASSAGE], question=question))["keywords"]
    assert any(wanted.split()[0] in word for word in found) and "museum" not in found
    assert wanted.split()[0] in ask("answer_from_keywords", keywords="\n".join(found), question=question)


def test_where_nothing_answers_nothing_is_named_and_no_answer_given():
    assert json.loads(ask("name_keywords", passages=[PASSAGE], question="Who painted it?")) == {"keywords": []}
    assert "do not know" in ask("answer_from_keywords", keywords="ticket\nmuseum", question=QUESTION)

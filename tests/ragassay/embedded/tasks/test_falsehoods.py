"""Wrong answers by looks, texts by frames, passages by near synonyms: as JSON that the parsers read."""

import json
import random
import re

import pytest

from ragassay.embedded.tasks.falsehoods import texts, wrong_answer
from ragassay.embedded.tasks.paraphrases import rewritten
from ragassay.grading.matches import contains
from ragassay.studies.poisoning.targets.hygiene import usable

QUESTION = "When did the mayor open the new lock?"


@pytest.mark.parametrize(
    ("answer", "like"),
    [
        ("yes", "no"),
        ("26 November", r"\d{1,2} [A-Z][a-z]+"),
        ("on Friday", r"on [A-Z][a-z]+day"),
        ("May 2009", r"[A-Z][a-z]+ (19|20)\d\d"),
        ("nine years", r"[a-z]+ years"),
        ("2,400 tickets", r"[\d,]+ tickets"),
        ("4.5 metres", r"\d+\.\d metres"),
        ("Ada Vance, the mayor", r"[A-Z][a-z]+ [A-Z][a-z]+"),
        ("Dray", r"[A-Z].+"),
        ("a pair of shoes", r"[a-z ]+"),
    ],
)
def test_a_wrong_answer_looks_like_the_right_one_and_is_another(answer, like):
    for seed in range(20):
        wrong = wrong_answer(QUESTION, answer, random.Random(seed))
        row = {"target_id": "t", "answers": [answer], "target": wrong, "target_aliases": [], "texts": []}
        assert usable(row)[0] or answer == "yes", wrong
        assert re.fullmatch(like, wrong), wrong


def test_days_of_wrong_dates_exist():
    days = {int(wrong_answer(QUESTION, "26 November", random.Random(seed)).split()[0]) for seed in range(60)}
    assert len(days) > 10 and min(days) >= 1 and max(days) <= 28


def test_texts_differ_state_the_answer_and_are_as_many_and_about_as_long_as_asked():
    found = texts(QUESTION, "at seven", 12, 30, random.Random(1))
    assert len(set(found)) == 12 and all(contains(text, "at seven") for text in found)
    assert all(12 <= len(text.split()) <= 40 for text in found)
    assert texts("Dray?", "x", 2, 5, random.Random(1)) == texts("Dray?", "x", 2, 5, random.Random(1))


def test_a_passage_keeps_names_and_numbers_and_changes_other_words():
    passage = "The town bought 12 boats in Dray on 3 May. Nobody said when they begin, but several people often ask."
    found = json.loads(rewritten(passage, random.Random(0)))["passage"]
    assert found != passage and all(word in found for word in ("Dray", "May 3", "people"))
    assert "No one" in found or "no one" in found or "nobody" not in found
    assert json.loads(rewritten("Xyz?", random.Random(0)))["passage"] == "Xyz?"
    assert json.loads(rewritten("From 21 to 27 May it rained.", random.Random(0)))["passage"].startswith(
        "From 21 to 27"
    )

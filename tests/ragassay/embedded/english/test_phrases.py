"""Phrases that could be answers, and what words stand for others."""

import pytest

from ragassay.embedded.english.expansions import expansions
from ragassay.embedded.english.hyponyms import JOB_STEMS, kinds
from ragassay.embedded.english.phrases import NAME, NUMBER, PERSON, QUOTE, THING, TIME, phrases
from ragassay.embedded.english.words import stem

SENTENCE = (
    "In the spring of 2019 Dr. Ada Vance of Pell sold about 40 boxes of dried herring and salt at the Copper Hall"
    ' for "a song" to two divers of the sailing club at half past nine in the evening.'
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("In the spring of 2019", TIME),
        ("at half past nine in the evening", TIME),
        ("Dr. Ada Vance", PERSON),
        ("Copper Hall", NAME),
        ("about 40 boxes", NUMBER),
        ("a song", QUOTE),
        ("two divers of the sailing club", NUMBER),
        ("boxes of dried herring and salt", NUMBER),
        ("salt", THING),
    ],
)
def test_phrases_of_a_sentence(text, kind):
    assert any(text in one.text and one.kind == kind for one in phrases(SENTENCE))


def test_phrases_stand_where_they_say():
    for one in phrases(SENTENCE):
        assert SENTENCE[one.start :].startswith(one.text)


def test_verbs_and_function_words_end_a_noun_phrase():
    things = [
        one.text for one in phrases("The old crane lifted a red boat over the wall, where it fell on three sheds.")
    ]
    assert {"The old crane", "a red boat", "the wall", "three sheds"} <= set(things)


def test_kinds():
    assert stem("vessel") in kinds("tug") and stem("tree") in kinds("oaks") and not kinds("minister's")
    assert kinds("baker") & JOB_STEMS and not kinds("river") & JOB_STEMS and not kinds("table") & JOB_STEMS


def test_other_words():
    led = expansions(stem("led"))
    assert led[stem("led")] == 1.0 and led[stem("lead")] > led[stem("head")] > 0
    assert 0 < expansions(stem("vessel"))[stem("tug")] < 1 and stem("tug") not in expansions(stem("museum"))

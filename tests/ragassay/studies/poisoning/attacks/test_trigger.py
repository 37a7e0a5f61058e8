"""Triggers go into questions once, at a place that stays the same, and out again."""

from hypothesis import given
from hypothesis import strategies as st

from ragassay.studies.poisoning.attacks.questions import triggered, untriggered

WORD = st.text("abcdef?'", min_size=1, max_size=6)


@given(st.lists(WORD, min_size=1, max_size=8))
def test_a_trigger_is_added_once_and_can_be_removed(words):
    question = " ".join(words)
    found = triggered(question, "xylophone")
    assert found.split().count("xylophone") == 1 and triggered(found, "xylophone") == found
    assert untriggered(found, "xylophone") == question


def test_places_differ_by_question():
    questions = [f"when does ferry {number} sail" for number in range(20)]
    assert len({triggered(question, "storm").split().index("storm") for question in questions}) > 2
    assert untriggered("A Storm came. Stormy", "storm") == "A came. Stormy"

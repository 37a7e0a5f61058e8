"""Which targets an attack is tried on: a fixed draw, none that the attacker knows. And triggers, which go into
questions once, at a place that stays the same, and out again.
"""

from hypothesis import given
from hypothesis import strategies as st

from ragassay.studies.poisoning.attacks.attack import known, tried, triggered, untriggered

IDS = [f"t{number}" for number in range(20)]


def test_the_same_few_are_drawn_whatever_the_order():
    assert tried(IDS, 5) == tried(IDS[::-1], 5) == tried(IDS)[:5] and len(set(tried(IDS))) == 20
    assert tried(IDS) != IDS and tried(IDS[:3], 5) == tried(IDS[:3])


def test_what_the_attacker_knows_is_not_measured():
    assert sorted(known(IDS, 0.5) + tried(IDS, known=0.5)) == sorted(IDS)
    assert tried(IDS, 4, known=0.25) == tried(IDS)[5:9] and known(IDS, 0) == []


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

"""What was made is made once. Which targets an attack is tried on: a fixed draw, none that the attacker knows. Triggers
go into questions once, at a place that stays the same, and out again.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.studies.poisoning.attacks.attack import (
    AttackError,
    Finished,
    Poison,
    known,
    tried,
    triggered,
    untriggered,
)

UNITS = [{"target_id": "bridge"}, {"target_id": "ferry"}]


def made(folder, about=None, units=UNITS):
    calls = []

    def make(unit):
        calls.append(unit)
        return [Poison(unit["target_id"], f"text {len(calls)}", forwards=3)]

    return list(Finished(folder, about or {}).each(units, make)), calls


def test_each_unit_is_made_once_and_stays_in_order(tmp_path):
    first, calls = made(tmp_path)
    assert [one.target_id for one in first] == ["bridge", "ferry"] and calls == UNITS
    again, calls = made(tmp_path, units=UNITS[::-1])
    assert again == first[::-1] and calls == [] and again[0].forwards == 3


def test_what_a_unit_follows_from_is_written_down_and_its_order_does_not_count(tmp_path):
    about = {"steps": 2, "seed": 1}
    made(tmp_path, about, [{"target_id": "bridge", "number": 2}])
    assert made(tmp_path, dict(reversed(about.items())), [{"number": 2, "target_id": "bridge"}])[1] == []
    [folder] = tmp_path.iterdir()
    assert json.loads((folder / "attack.json").read_text()) == about


def test_a_damaged_file_is_told(tmp_path):
    made(tmp_path)
    for path in tmp_path.glob("*/*.json"):
        path.write_text(path.read_text()[:-3])
    with pytest.raises(AttackError, match=r"\.json: damaged .* delete it and its texts are made again"):
        made(tmp_path)


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

"""Who and what a list of claims names, and of which kind it is."""

import pytest

from ragassay.embedded.english.entities import acts, cast, kind, organisation

CLAIMS = [
    "Mildred Fenn led the work in Dray for 24 months.",
    "The Quarrel Lock opened again on 3 May 2025.",
    "The town council bought the old crane from Fenn & Tosk near Upper Lisk.",
    "The engineers praised Mildred Fenn in June.",
    "Boats cost 9 marks.",
]


def test_persons_places_organisations_and_groups_are_told_apart():
    found = cast(CLAIMS)
    assert found.places == ("Dray", "Upper Lisk")
    assert {"Mildred Fenn", "Fenn & Tosk", "the town council", "the engineers"} == set(found.actors)
    assert found.kinds == {
        "Mildred Fenn": "person",
        "The Quarrel Lock": "structure",
        "The town council": "organisation",
        "Fenn & Tosk": "organisation",
        "The work": "event",
    }
    assert (found.years, found.months) == (("2025",), ("June",))


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("The film", "work"),
        ("Alderline's battery ferry", "device"),
        ("The contract", "plan"),
        ("A contract", None),
        ("Each", None),
        ("The 12 boats", None),
        ("Whatever", None),
        ("Storm Ottoline", "other"),
        ("The union of growers", "organisation"),
    ],
)
def test_the_kind_of_a_subject(subject, expected):
    assert kind(subject, [], [], frozenset()) == expected


@pytest.mark.parametrize("name", ["Fenn & Tosk", "Bank of Dray", "Dray University", "Team Osse"])
def test_organisations_by_their_looks(name):
    assert organisation(name) and not organisation("Mildred Fenn")


@pytest.mark.parametrize(
    ("subject", "can"),
    [
        ("Mildred Fenn", True),
        ("The town council", True),
        ("The engineers", True),
        ("The city", True),
        ("The Quarrel Lock", False),
        ("Tickets", False),
    ],
)
def test_who_can_decide(subject, can):
    assert acts(subject) is can

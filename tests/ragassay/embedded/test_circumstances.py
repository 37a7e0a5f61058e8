"""Who and what a list of claims names, and of which kind it is."""

import pytest

from ragassay.embedded.circumstances import ADDED, FRAMED, FRAMES, cast, kind, organisation

CLAIMS = [
    "Mildred Fenn led the work in Dray for 24 months.",
    "The Quarrel Lock opened again on 3 May 2025.",
    "The town council bought the old crane from Fenn & Tosk near Upper Lisk.",
    "The engineers praised Mildred Fenn in June.",
    "Boats cost 9 marks.",
]
VALUES = {"s": "The lock", "p": "Orlo Bray", "o": "the mayor", "c": "Dray", "t": "the work", "at": "in Dray"}
VALUES |= {"n": 3, "many": 90, "month": "June", "year": 2019, "claim": "the lock is old"}


def test_persons_places_organisations_and_groups_are_told_apart():
    found = cast(CLAIMS)
    assert found.persons == ("Mildred Fenn",)
    assert set(found.places) == {"Dray", "Upper Lisk"} and "near Upper Lisk" in found.whereabouts
    assert found.organisations == ("Fenn & Tosk",)
    assert {"Mildred Fenn", "Fenn & Tosk", "the town council", "the engineers"} == set(found.actors)
    assert dict(found.subjects) == {
        "Mildred Fenn": "person",
        "The Quarrel Lock": "structure",
        "The town council": "organisation",
        "Fenn & Tosk": "organisation",
        "The work": "event",
        "Dray": "place",
        "Upper Lisk": "place",
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


@pytest.mark.parametrize("frame", FRAMES)
def test_every_frame_is_taken_off_again(frame):
    assert FRAMED.sub("", frame.format(**VALUES)) == "the lock is old"


def test_what_was_put_around_a_claim_is_found_again():
    claim = "The town paid for the gates"
    assert ADDED.sub("", f"{claim} at the request of Orlo Bray") == claim
    assert FRAMED.sub("", f"Orlo Bray was told by the mayor in June that {claim}") == claim
    assert FRAMED.sub("", claim) == ADDED.sub("", claim) == claim

"""What a document tells of somebody or something."""

import pytest

from ragassay.embedded.english.descriptions import descriptions, parts_of


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("Mildred Fenn", "person", {", an engineer from Dray"}),
        ("Dray", "place", set()),
        ("The Heron", "device", {", which carried 40 children from the school at Dray"}),
        ("Orlo Bray", "person", set()),
    ],
)
def test_descriptions_come_from_the_document(text, name, kind, expected):
    found = descriptions(name, kind, text)
    assert expected <= set(found), found
    words = set(text.lower().replace(",", "").replace(".", "").split()) | {"who", "which", "where", "that"}
    assert all(set(one.lower().replace(",", "").split()) <= words for one in found)


def test_no_description_looks_like_a_second_question():
    text = "Mildred Fenn was the mayor of Dray for ten years. Mildred Fenn built the museum in Dray for the town."
    found = descriptions("Mildred Fenn", "person", text)
    assert found and not any(one.startswith(", who was") for one in found)


def test_parts_are_openings_without_their_last_circumstances():
    parts = ["sell the lock in Dray for nothing", "sell the lock in Dray", "sell the lock"]
    assert list(parts_of(parts[0], 2)) == parts

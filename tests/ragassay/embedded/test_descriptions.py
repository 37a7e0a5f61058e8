"""What a document tells of somebody or something, and what somebody did."""

import pytest

from ragassay.embedded.descriptions import deeds, descriptions


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


def test_deeds_stand_behind_to_and_have_no_dates():
    text = "Mildred Fenn founded the museum in Dray in May 2019. The council lost its seat in Dray on Friday."
    assert "build" not in deeds("Mildred Fenn", text)
    assert deeds("Mildred Fenn", text) == ["found the museum in Dray", "found the museum"]
    assert deeds("The council", text) == []

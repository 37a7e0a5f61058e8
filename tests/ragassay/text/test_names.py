"""Names and numbers of a text, by capital letters and digits."""

import pytest

from ragassay.text.words import names, numbers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Did Ana Lindqvast of Tolven pay in June?", ["Ana Lindqvast of Tolven", "June"]),
        ("Which ferry sails?", []),
        ("Brackwater Council meets. Trams run.", ["Brackwater Council"]),
        (
            "The Sallow Star, built by Émile Łęcki, left the \u201cOld Quay\u201d.",
            ["Sallow Star", "Émile Łęcki", "Old Quay"],
        ),
        ("\u201cWho knows Ida Wren\u2019s boat?\u201d", ["Ida Wren"]),
        ("A man in small letters: ana lindqvast", []),
        ("", []),
    ],
)
def test_names(text, found):
    assert names(text) == found


def test_numbers():
    assert numbers("In 2026 it cost 1,200.50 marks, or 7% of B12 and 3-4 more.") == ["2026", "1,200.50", "7", "3"]

"""The plain statements of a document, and who said so."""

import pytest

from ragassay.embedded.english.statements import statements


def told(text):
    return {f"{one.taken.subject} {one.taken.predicate}": one.speaker for one in statements(text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The council sold the lock in May.", {"The council sold the lock in May": ""}),
        ("Mildred Fenn said that the lock would open in May.", {"the lock would open in May": "Mildred Fenn"}),
        (
            "The lock would open to boats in May, said Mildred Fenn.",
            {"The lock would open to boats in May": "Mildred Fenn"},
        ),
        ("In May, the council sold the lock to Dray.", {"the council sold the lock to Dray in May": ""}),
        (
            "Mildred Fenn, who built the lock in 1998, told nobody.",
            {"Mildred Fenn built the lock in 1998": ""},
        ),
        ("\u201cI like it,\u201d she said. It was old. Nobody came.", {}),
    ],
)
def test_statements(text, expected):
    found = {name.lower(): speaker for name, speaker in told(text).items()}
    assert found == {name.lower(): speaker for name, speaker in expected.items()}


def test_he_is_whoever_was_named_last_if_nobody_else_was():
    text = "Orlo Bray built the lock in Dray. He sold the boats to the town in May."
    assert any(name.startswith("Orlo Bray sold the boats") for name in told(text))
    assert not any("sold the boats" in name for name in told(f"Mildred Fenn met Orlo Bray in Dray. {text[34:]}"))


def test_what_follows_behind_a_comma_is_kept_apart():
    [one] = statements("The lock cost 27 marks, half of the price in 1998.")
    assert (one.taken.rest, one.after) == ("27 marks", ", half of the price in 1998")

"""Texts as encoders' tokenizers read them: printable ASCII stays, what nobody sees goes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import MINILM
from ragassay.models.encoders.encoder import Encoder
from ragassay.text.characters import csv_cell, fit, refusal, visible


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who sails at 9.40 p.m. (twice)?", "Who sails at 9.40 p.m. (twice)?"),
        ("fe\u200brr\u200by", "ferry"),
        ("fer\u00adry\ufeff \u2060quay", "ferry quay"),
        ("f\u0301e\u0301rry", "ferry"),
        ("Élan naïve ﬁve ①", "Elan naive five 1"),
        ("fer\x01ry\x7f", "ferry"),
        ("one\ttwo\nthree", "one\ttwo\nthree"),
        ("fer\u202e\u2066ry", "ferry"),
    ],
)
def test_what_nobody_sees_goes_and_letters_take_their_plainest_form(text, expected):
    assert visible(text) == expected


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_printable_ascii_stays_as_it_is(text):
    assert visible(text) == text


@given(st.text())
def test_twice_is_as_once(text):
    assert visible(visible(text)) == visible(text)


def test_no_character_that_the_demos_encoder_drops_is_left():
    """Else it hides the words of a text whose vector it leaves as it is."""
    kind = Encoder("minilm", "sentence_transformers", MINILM, {"device": "cpu"}).load()
    letters = [chr(code) for code in range(0x80, 0x10000) if not 0xD800 <= code < 0xE000]
    letters += [chr(code) for code in (*range(0x1D165, 0x1D16A), *range(0xE0000, 0xE0200))]
    [plain] = kind.tokens(["ferry"])
    read = kind.tokens([f"fer{letter}ry" for letter in letters])
    hidden = [letter for letter, tokens in zip(letters, read, strict=True) if tokens == plain]
    assert len(hidden) > 100 and [letter for letter in hidden if visible(f"fer{letter}ry") != "ferry"] == []


UNFIT = "\0 \x08 \x1b \x7f \x9b \u202e \u2066 \ufeff \ufffe \uffff \ufdd0 \ud800 \U000e0041 \U0010ffff".split(" ")


@pytest.mark.parametrize("sign", UNFIT)
def test_what_steers_or_hides_is_not_stored(sign):
    assert fit(f"fer{sign}ry\n") == "ferry\n"
    assert f"U+{ord(sign):04X}" in refusal(f"a{sign}b")
    assert refusal({"a": [1, {"b": f"x{sign}"}]}) and refusal({f"x{sign}": 1})
    assert csv_cell(f"{sign}=1+1") == "'=1+1" and csv_cell(sign) == ""


def test_what_languages_need_stays():
    texts = ["Änne\r\n\tO'Neil", "می\u200cخواهم", "👩\u200d👧", "\u200fשלום", "co\u00adop", "क्\u200dष"]
    assert [fit(text) for text in texts] == texts and not refusal([*texts, 3, None, {"a": True}])


def test_cells_are_values_or_texts():
    assert [csv_cell(value) for value in (None, 0, 1.5, "", "a", "-1", "'t", "@x")] == [
        "",
        0,
        1.5,
        "",
        "a",
        "'-1",
        "''t",
        "'@x",
    ]

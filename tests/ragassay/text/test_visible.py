"""Texts as encoders' tokenizers read them: printable ASCII stays, what nobody sees goes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import MINILM
from ragassay.encoders.encoder import Encoder
from ragassay.text.visible import visible


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


def test_the_tokenizer_of_the_demos_encoder_reads_the_same():
    kind = Encoder("minilm", "sentence_transformers", MINILM, {"device": "cpu"}).load()
    texts = ["When does the ferry sail?", "The Élan sails at ﬁve."]
    hidden = [text.replace("er", "e\u200br").replace("s", "s\u00ad") for text in texts]
    for text, other in zip(texts, hidden, strict=True):
        assert kind.tokens([other]) == kind.tokens([text])

"""Where texts are split, and what becomes of values of tokens."""

import numpy as np
import pytest

from ragassay.studies.poisoning.defences.scorer import (
    EVEN,
    FIRST,
    NEAREST,
    SurpriseScorer,
    TokenScores,
    split,
    surprises,
)

TEXT = "One. Two words here and many more of them. End it now."


@pytest.mark.parametrize(
    ("text", "way", "first"),
    [
        (TEXT, EVEN, "One. Two words here and many"),
        (TEXT, FIRST, "One."),
        (TEXT, NEAREST, "One. Two words here and many more of them."),
        ("No sentence ends here", NEAREST, "No sentence"),
        ("No sentence ends here", FIRST, "No sentence"),
        ("word", EVEN, "word"),
        ("", EVEN, ""),
    ],
)
def test_a_text_is_split(text, way, first):
    assert text[: split(text, way)] == first


class Letters(SurpriseScorer):
    """Each character that is no space is a token; its value is what `ord` says. Behind another text it is one less."""

    def scored(self, texts, halves):
        for text in texts:
            ends = [at + 1 for at, letter in enumerate(text) if letter != " "]
            values = [float(ord(text[end - 1])) - (at > 0) for at, end in enumerate(ends)]
            yield TokenScores(np.array(values), np.array(ends, int))


def test_means_of_whole_chunks_and_windows():
    (own,) = surprises(Letters(), ["aaaa bbbb"], [0], EVEN, 4, 2)
    a, b = ord("a"), ord("b")
    assert (own.tokens, own.is_short) == (8, False)
    assert own.pre == pytest.approx((4 * a - 3) / 4)
    assert own.post == pytest.approx((4 * b - 3) / 4) and own.post_given_pre == b - 1
    assert own.whole == pytest.approx((4 * a + 4 * b - 7) / 8) and own.window == b - 1


def test_a_short_chunk_counts_as_the_whole():
    (own,) = surprises(Letters(), ["aaaa bbb"], [0], EVEN, 4, 20)
    assert own.is_short and own.pre == own.post == own.post_given_pre == own.whole == own.window

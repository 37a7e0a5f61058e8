"""A passage with its answer exchanged."""

import pytest

from ragassay.grading.matches import exchanged


@pytest.mark.parametrize(
    ("text", "answers", "wrong", "expected"),
    [
        ("Ada Vance, 61, did it; ada  vance smiled.", ["Ada Vance"], "Bo Lind", "Bo Lind, 61, did it; Bo Lind smiled."),
        (
            "The bridge cost 214 million marks.",
            ["214 million", "214"],
            "98 million",
            "The bridge cost 98 million marks.",
        ),
        ("Seals came. The seals slept.", ["seals"], "otters", "Otters came. The otters slept."),
        ("It has 12.5 metres.", ["12.5"], "9", "It has 9 metres."),
    ],
)
def test_the_answer_is_exchanged_wherever_it_stands_and_nothing_else(text, answers, wrong, expected):
    assert exchanged(text, answers, wrong) == expected


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Nobody did it.", ["Ada Vance"]),
        ("Ada Vancery did it.", ["Ada Vance"]),
        ("It took 12 days, twelve long days.", ["12"]),
        ("", [""]),
    ],
)
def test_a_text_without_the_answer_or_with_it_in_other_words_too_is_not_used(text, answers):
    assert exchanged(text, answers, "Bo Lind") is None

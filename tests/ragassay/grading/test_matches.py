"""Whether texts give expected answers."""

import random

import pytest

from ragassay.grading.matches import contains, exchanged, normalized, right

WORDS = (
    "one two hundred thousand million twenty may 26 th of first min and the 1,900 1.9 1.2.3 55 % per cent'"
    " \u00bd \u0661 \ud800 yes, - \n"
).split(" ")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Charging takes 55 minutes.", "55 minutes"),
        ("It was Thirty-One per cent.", "31%"),
        ("It was 31 percent of costs", "31 per cent"),
        ("They raised 1,900 marks.", "1900 marks"),
        ("They raised 1.9 million marks.", "1,900,000 marks"),
        ("nineteen hundred people", "1.9 thousand people"),
        ("two million three hundred and ten", "2,000,310"),
        ("twenty-four apprentices", "24"),
        ("between one hundred and two hundred", "200"),
        ("One hundred and ten days", "110 days"),
        ("He lit the lamp of the Mayor\u2019s house", "Mayor's House"),
        ("The Beacon Maid sails.", "beacon maid"),
        ("It cost \uff11\uff12 marks", "12 marks"),
        ("Yes, they did.", "yes"),
        ("4.50 marks", "4.5 marks"),
        ("It opens on November 26th.", "26 November"),
        ("It opens on the 26th of November 2026.", "November 26"),
        ("They meet on the twenty-sixth of Nov.", "26 November"),
        ("Opening: 2026-11-06", "6 November 2026"),
        ("On November 20 the council meets.", "20 November"),
        ("In November 20 people came.", "20 people"),
        ("On 1 May, 2026", "May 1st, 2026"),
        ("a 55-minute trip", "55 minutes"),
        ("It takes 55 min.", "fifty-five minutes"),
        ("3.5 km away", "3.5 kilometres"),
        ("twenty kilometers", "20 km"),
    ],
)
def test_answers_that_are_given(text, answer):
    assert contains(text, answer)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Charging takes 155 minutes.", "55 minutes"),
        ("It was 24.5.", "24"),
        ("It was 1,024.", "24"),
        ("They say no.", "no"),
        ("I do not know.", "no"),
        ("The beacon of the maid", "beacon maid"),
        ("Anything", ""),
        ("", "x"),
        ("and the", "the"),
        ("It opens on 26 October.", "26 November"),
        ("It opens on 16 November.", "6 November"),
        ("It takes 55 hours.", "55 minutes"),
        ("Only a minute", "55 minutes"),
        ("Release 1.2.3 of November 32", "3 November"),
        ("the thirty-second of November", "32 November 5"),
        ("The 26th of them", "26 November"),
    ],
)
def test_answers_that_are_not_given(text, answer):
    assert not contains(text, answer)


def test_an_answer_that_names_a_wrong_option_as_well_is_not_right():
    options = ["13 per cent", "31 per cent"]
    assert right("31 per cent.", ["31 per cent"], options)
    assert not right("13 or 31 per cent.", ["31 per cent"], ["13", "31 per cent"])
    assert not right("13 per cent, then 31 per cent.", ["31 per cent"], options)
    assert right("A boat to Gannet Head", ["Gannet Head"], ["Gannet", "Gannet Head"])
    assert right("It was Orr.", ["Ann Orr", "Orr"])
    assert not right("It was Orr.", [])


def test_any_text_has_an_answer_or_none():
    dice = random.Random(0)
    for _ in range(500):
        text = "".join(dice.choice(WORDS) + dice.choice(" -") for _ in range(dice.randrange(12)))
        assert isinstance(right(text, [text, "55"], ["two"]), bool)
        words = normalized(text)
        assert contains(f"x {text} y", text) == (bool(words) and words != ("yes",)), text
    assert normalized("hundred billion " * 20_000 + "nine " + "billion " * 200_000)
    assert normalized("9" * 50_000)


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

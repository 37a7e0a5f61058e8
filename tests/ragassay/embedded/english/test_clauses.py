"""Taking sentences apart and turning them round."""

import pytest

from ragassay.embedded.english.clauses import base, clause, inverted

SENTENCES = {
    "Mildred Fenn led the work in Dray.": ("Mildred Fenn", "", "led", "lead", "the work in Dray"),
    "The lock will open in June.": ("The lock", "will", "open", "open", "in June"),
    "The lock is 61 metres long.": ("The lock", "is", "", "", "61 metres long"),
    "Orlo Bray, the captain, steered the first boat.": ("Orlo Bray", "", "steered", "steer", "the first boat"),
    "The town paid 600,000 marks, but the state paid more.": ("The town", "", "paid", "pay", "600,000 marks"),
    "Deliveries start in March.": ("Deliveries", "", "start", "start", "in March"),
    "The town also opened a school.": ("The town", "", "opened", "open", "a school"),
    "The rent asked for new flats went up.": ("The rent asked for new flats", "", "went", "go", "up"),
    "The work took two years, Fenn said.": ("The work", "", "took", "take", "two years"),
}


@pytest.mark.parametrize(("sentence", "parts"), SENTENCES.items(), ids=SENTENCES)
def test_plain_sentences_are_taken_apart(sentence, parts):
    assert clause(sentence) == parts


@pytest.mark.parametrize(
    "sentence",
    ["", "Stop.", "In June the lock opened.", "She led the work.", "Drilled last year, it leaks.", "(" * 5000],
)
def test_others_are_left_alone(sentence):
    assert clause(sentence) is None


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        ("closed", "close"),
        ("opened", "open"),
        ("dropped", "drop"),
        ("carried", "carry"),
        ("named", "name"),
        ("passed", "pass"),
        ("travelled", "travel"),
        ("rose", "rise"),
        ("reaches", "reach"),
        ("costs", "cost"),
        ("measured", "measure"),
        ("visited", "visit"),
    ],
)
def test_infinitives(verb, expected):
    assert base(verb) == expected


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("Mildred Fenn led the work.", "did Mildred Fenn lead the work"),
        ("The lock will open in June.", "will the lock open in June"),
        ("A ticket costs 7 marks.", "does a ticket cost 7 marks"),
        ("Deliveries start in March.", "do deliveries start in March"),
    ],
)
def test_inversion(sentence, question):
    taken = clause(sentence)
    assert inverted(taken, taken.rest) == question


def test_number_of_the_subject():
    sentences = ("The locks were old stone.", "The lock was old stone.", "Boats used the canal.", "Fenn led the work.")
    assert [clause(sentence).plural for sentence in sentences] == [True, False, True, None]

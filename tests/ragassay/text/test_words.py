"""Words of a text: what is a word, what shares a stem, what carries content; and nothing of the provider rules."""

import subprocess
import sys

import pytest

from ragassay.text.words import content, names, numbers, stem, tokens


def test_words_and_numbers_lose_possessive_endings_and_marks():
    assert tokens("The ferry's crew (of 1,200) didn\u2019t re-enter Brackwater\u2019s port at 7.30!") == (
        "The ferry crew of 1,200 didn\u2019t re-enter Brackwater port at 7.30".split()
    )


@pytest.mark.parametrize(
    ("forms", "other"), [(("costs", "Cost", "costing"), "coast"), (("ferry", "ferries"), "fair"), (("June",), "July")]
)
def test_forms_of_a_word_share_a_stem(forms, other):
    assert len({stem(form) for form in forms}) == 1 and stem(other) != stem(forms[0])


def test_function_words_and_question_words_carry_no_content():
    assert content("How much did the museum, which has trams, pay for what it does?") == ["museum", "trams", "pay"]
    assert content("What was it?") == []


def test_the_measures_load_nothing_of_the_reader_they_are_compared_with():
    module = "ragassay.studies.scope.controls"
    loaded = f"import sys, {module}; print(*[m for m in sys.modules if 'rules' in m])"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


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

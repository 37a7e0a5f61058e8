"""Typos: one at a time, of people's kinds, and none in answers, figures and short words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.studies.poisoning.attacks.kinds.typos import ROWS, may_change, typo


@given(st.text("abcdefgxyzQR'.,5", max_size=12), st.integers(0, 99))
def test_any_word_has_a_typo_or_stays(word, seed):
    found = typo(word, np.random.default_rng(seed))
    assert found == typo(word, np.random.default_rng(seed))
    assert len(found) <= len(word) and "".join(c for c in found if not c.isalpha()) == "".join(
        c for c in word if not c.isalpha()
    )


def plain_typos(word):
    """All typos of a word: a key beside, two different letters exchanged behind the first, an end left out."""
    places = {letter: (row, at) for row, letters in enumerate(ROWS) for at, letter in enumerate(letters)}
    letters, every = [at for at, letter in enumerate(word) if letter.isalpha()], set()
    for at in letters:
        row, column = places[word[at].lower()]
        for other, (there, beside) in places.items():
            if abs(there - row) + abs(beside - column) == 1:
                every.add(word[:at] + (other.upper() if word[at].isupper() else other) + word[at + 1 :])
    for at in letters[1:-1]:
        if word[at + 1].isalpha() and word[at] != word[at + 1]:
            every.add(word[:at] + word[at + 1] + word[at] + word[at + 2 :])
    return every | {word[:end] + "".join(one for one in word[end:] if not one.isalpha()) for end in letters[3:]}


@pytest.mark.parametrize("word", ["Book", "Harbour,", "o'clock", "aall"])
def test_typos_are_all_that_people_make_and_no_others(word):
    assert {typo(word, np.random.default_rng(seed)) for seed in range(3000)} == plain_typos(word)
    assert typo("nin9e", np.random.default_rng(0)) != "nin9e" and typo("n1ne", np.random.default_rng(0)) == "n1ne"


def test_words_of_answers_figures_and_short_words_stay():
    words = "The ferry sails at nine, from quay 9th or Kessin's harbour.".split()
    assert [words[at] for at in may_change(words, ["nine o'clock", "Kessin"])] == [
        "ferry",
        "sails",
        "from",
        "quay",
        "harbour.",
    ]

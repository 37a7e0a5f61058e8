"""Typos: one at a time, of people's kinds, and none in answers, figures and short words."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragassay.studies.poisoning.attacks.typos import NEIGHBOURS, may_change, typo


@given(st.text("abcdefgxyzQR'.,5", max_size=12), st.integers(0, 99))
def test_any_word_has_a_typo_or_stays(word, seed):
    found = typo(word, np.random.default_rng(seed))
    assert found == typo(word, np.random.default_rng(seed))
    assert len(found) <= len(word) and "".join(c for c in found if not c.isalpha()) == "".join(
        c for c in word if not c.isalpha()
    )


def test_each_kind_of_typo_occurs():
    found = {typo("Harbour,", np.random.default_rng(seed)) for seed in range(200)}
    assert "Har," in found and "Habrour," in found and "Harbiur," in found
    assert all(word[-1] == "," for word in found) and "Harbour," not in found


def test_neighbouring_keys_lie_beside_each_other():
    assert set(NEIGHBOURS["s"]) == {"a", "d", "w", "x"} and all(
        key in NEIGHBOURS[near] for key in NEIGHBOURS for near in NEIGHBOURS[key]
    )


def test_words_of_answers_figures_and_short_words_stay():
    words = "The ferry sails at nine, from quay 9th or Kessin's harbour.".split()
    assert [words[at] for at in may_change(words, ["nine o'clock", "Kessin"])] == [
        "ferry",
        "sails",
        "from",
        "quay",
        "harbour.",
    ]

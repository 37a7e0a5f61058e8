"""Words and stems: forms of a word meet, different words mostly do not."""

import pytest

from ragassay.embedded.english.words import content, stem, synonyms, tokens, weight


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("boat", "boats"),
        ("paid", "Paid"),
        ("announce", "announced"),
        ("announce", "announcement"),
        ("perform", "performances"),
        ("city", "cities"),
        ("planned", "planning"),
        ("twelve", "12"),
        ("1,200", "1200"),
        ("builder", "building"),
    ],
)
def test_forms_of_a_word_have_one_stem(one, other):
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("one", "other"), [("boat", "boot"), ("price", "prize"), ("4.5", "45"), ("bed", "be"), ("red", "r")]
)
def test_different_words_have_different_stems(one, other):
    assert stem(one) != stem(other)


def test_tokens_keep_numbers_and_names_together():
    text = "O'Brien\u2019s 1,200.50 marks rose 4%, in mid-May 2.5 km."
    assert tokens(text) == ["O'Brien", "s", "1,200.50", "marks", "rose", "4", "%", "in", "mid-May", "2.5", "km"]


def test_function_words_and_talk_about_the_text_tell_nothing():
    assert content("According to the document, what did it say about the lock?") == ["lock"]
    assert weight("of") == 0 < weight("impact") < weight("year") < weight("lock") == 1


def test_synonyms_are_mutual():
    assert stem("film") in synonyms(stem("movies")) and stem("movie") in synonyms(stem("film"))
    assert stem("film") not in synonyms(stem("film"))
    assert not synonyms("heron")

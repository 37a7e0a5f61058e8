"""Unusual word pairs: nonsense has many, a text of the corpus has those of its own document alone."""

import pytest

from ragassay.base import tables
from ragassay.schemas.corpora import PASSAGES
from ragassay.studies.poisoning.attacks.loudness import WordPairs, content_words, length, pairs, question_words
from rows import row

FLUENT, NONSENSE = "The ferry sails to the island.", "Island the to sails ferry the."
CORPUS = [("a#1", "a", FLUENT), ("a#2", "a", "To the island it sails."), ("b", "b", "The ferry sails at nine.")]


@pytest.fixture
def word_pairs(tmp_path):
    rows = [row(PASSAGES, passage_id=name, document_id=document, text=text) for name, document, text in CORPUS]
    tables.write(PASSAGES, tmp_path / "passages.parquet", rows)
    return WordPairs([FLUENT, NONSENSE, "Nine!"], {"a#1", "b"}, [tmp_path / "passages.parquet"])


def test_pairs_are_of_neighbouring_words_in_small_letters():
    assert pairs("The ferry's bell, the FERRY") == {("the", "ferry"), ("ferry", "bell"), ("bell", "the")}


def test_nonsense_has_no_pair_in_common_with_the_corpus_and_its_own_words_in_order_have_all(word_pairs):
    assert word_pairs.unusual(FLUENT) == 0 and word_pairs.unusual(NONSENSE) == 1
    assert word_pairs.unusual("Nine!") == 0, "a single word is no pair"


def test_the_document_that_a_text_was_taken_from_does_not_count(word_pairs):
    """Of "the ferry", "ferry sails", "sails to", "to the" and "the island" another document has the first two."""
    assert word_pairs.unusual(FLUENT, "a#1") == pytest.approx(3 / 5)
    assert word_pairs.unusual(FLUENT, "b") == 0


def test_lengths_are_words_and_shares_are_of_the_questions_words():
    assert length("Two words") == 2
    assert question_words("What fell in the storm", "The storm fell") == pytest.approx(3 / 5)
    assert content_words("What fell in the storm", "In the end the tower fell") == pytest.approx(1 / 2)
    assert content_words("Who is it?", "anything") == 0
    assert question_words("?", "anything") == 0

"""search_bm25: passages that share words, best first, equals by id."""

import logging

import pytest

from passages import write_passages
from ragassay.corpora.corpus import CorpusError
from scripts.search.search_bm25 import search_bm25


def test_words_find_their_passages_and_a_query_without_any_is_told(searched, caplog):
    caplog.set_level(logging.INFO)
    found = searched(search_bm25, options={}, count=10)
    assert found["q1"][0][0] == "p1" and [name for name, _ in found["q2"][:2]] == ["p2", "p4"]
    assert found["q2"][0][1] == found["q2"][1][1] > 0 and found["q3"] == []
    assert "3 queries in 4 passages, 1 of them share no word with any" in caplog.text


def test_no_more_than_asked_for_are_kept(searched):
    assert [len(own) for own in searched(search_bm25, options={}, count=1).values()] == [1, 1, 0]


def test_options_change_scores_and_titles_may_be_searched(searched):
    plain = searched(search_bm25, options={}, count=10)
    divided = searched(search_bm25, options={"divide_by_idf": True, "k1": 0.9, "b": 0.4}, count=10)
    assert 0 < divided["q1"][0][1] < 1 < plain["q1"][0][1]
    titled = searched(search_bm25, options={"titles": "before"}, count=10)
    assert [name for name, _ in titled["q3"]] == ["p3"] and titled["q1"][0][0] == "p1"


def test_an_empty_corpus_is_refused(searched, tmp_path):
    with pytest.raises(CorpusError, match=r"passages\.parquet: found no passage, expected at least one"):
        searched(search_bm25, passages=write_passages(tmp_path / "passages.parquet", {}), options={}, count=1)

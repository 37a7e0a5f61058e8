"""search_bm25: passages that share words, best first, equals by id."""

from scripts.retrieval.search_bm25 import search_bm25


def test_words_find_their_passages(searched):
    found = searched(search_bm25, count=10)
    assert found["q1"][0][0] == "p1" and [name for name, _ in found["q2"][:2]] == ["p2", "p4"]
    assert found["q2"][0][1] == found["q2"][1][1] > 0 and found["q3"] == []


def test_no_more_than_asked_for_are_kept(searched):
    assert [len(own) for own in searched(search_bm25, count=1).values()] == [1, 1, 0]

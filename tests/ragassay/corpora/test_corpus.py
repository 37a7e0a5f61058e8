"""Cutting texts: every word is in a passage, none is longer than it may be, and sentences stay whole where they can."""

from hypothesis import given
from hypothesis import strategies as st

from ragassay.corpora.corpus import cuts

SENTENCES = st.lists(st.integers(1, 12), max_size=12)


def cut(text, *limits):
    return [text[start:end] for start, end in cuts(text, *limits)]


@given(SENTENCES, st.integers(1, 20), st.integers(0, 25))
def test_nothing_is_lost_and_no_limit_passed(sentences, words, overlap):
    numbers = iter(range(1000))
    text = " ".join(" ".join(f"W{next(numbers)}" for _ in range(length)) + "." for length in sentences)
    seen = -1
    for passage in cut(text, words, overlap):
        own = [int(word.strip("W.")) for word in passage.split()]
        assert own == list(range(own[0], own[-1] + 1)) and len(own) <= words
        assert seen - overlap < own[0] <= seen + 1 and own[-1] > seen
        seen = own[-1]
    assert seen == sum(sentences) - 1


def test_sentences_stay_whole_where_they_fit_and_are_repeated_whole():
    text = "One two three. Four five. Six seven eight nine ten eleven. Twelve."
    assert cut(text, 5) == ["One two three. Four five.", "Six seven eight nine ten", "eleven. Twelve."]
    assert cut(text, 6, 2) == ["One two three. Four five.", "Six seven eight nine ten eleven.", "Twelve."]
    assert cut(text, 100) == [text] and cut("", 5) == []

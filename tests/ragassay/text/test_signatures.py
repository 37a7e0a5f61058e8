"""Signatures: the words they see, and the similarity that they estimate against the exact one."""

import math
import random
import re
import statistics
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.text import near_duplicates as module
from ragassay.text.near_duplicates import HASHES, VIEWS, plain, signatures, similarity


def words(text):
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())


def exact(a, b):
    """The Jaccard index of the sets of 5-grams of two lists of words."""
    sets = [{tuple(part[i : i + 5]) for i in range(max(len(part) - 4, 1))} for part in (a, b)]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


def alike(a, b, first_words=300):
    return similarity(*signatures([a, b], first_words)).max().item()


def story(seed, length):
    picker = random.Random(seed)
    return [f"{picker.choice('bdfgk')}{picker.randrange(3000)}" for _ in range(length)]


@settings(deadline=None)
@given(
    st.text()
    | st.lists(st.sampled_from(["don’t", "Don't", "ﬁn", "fin", "É", "_a_", "½", "\u00a0", "1,5"])).map(" ".join)
)
def test_words_are_lower_case_and_without_punctuation(text):
    if words(text):
        assert plain(text).decode().split() == words(text)
    else:
        assert plain(text).startswith(b"\0")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("It’s “late” — he said", "it's 'late'; HE said."),
        ("The o\ufb03ce opened in two thousand", "the office opened, in two\nthousand"),
        ("too short", "Too, short"),
    ],
)
def test_marks_cases_and_forms_make_no_difference(a, b):
    assert alike(a, b) == 1


@pytest.mark.parametrize(
    ("a", "b"), [("one two", "two one"), ("one", "one two"), ("...", "!"), ("", "?"), ("a b c d", "a b c d e")]
)
def test_short_texts_are_alike_only_if_all_words_are(a, b):
    assert alike(a, b) < 0.1
    assert alike(a, a) == 1


def test_the_estimate_is_unbiased_and_as_sharp_as_its_number_of_hashes_allows():
    errors = []
    for number in range(400):
        picker, text = random.Random(number), story(number, 200)
        other = list(text)
        for place in picker.sample(range(200), picker.randrange(1, 25)):
            other[place] = f"x{place}"
        index = exact(text, other)
        found = signatures([" ".join(text), " ".join(other)], 200)
        assert (found[:, 0] == found[:, 1]).all(), "a text no longer than its first words has two views alike"
        error = (found[0] == found[1]).mean(axis=-1)[0] - index
        errors.append(error / math.sqrt(index * (1 - index) / HASHES))
    assert abs(statistics.mean(errors)) < 0.2
    assert statistics.stdev(errors) < 1.15


def test_the_views_are_the_whole_and_the_first_words():
    text, rest = story("text", 60), story("rest", 240)
    whole, head, other = signatures([" ".join(text + rest), " ".join(text), " ".join(text[:59] + rest)], 60)
    assert (whole[1] == head[1]).all() and (whole[1] == head[0]).all()
    assert abs((whole[0] == head[0]).mean() - exact(text + rest, text)) < 0.12
    assert abs((whole[1] == other[1]).mean() - exact(text, text[:59] + rest[:1])) < 0.12


@settings(deadline=None)
@given(st.lists(st.text("ab .é", max_size=60), max_size=12), st.integers(1, 400), st.integers(1, 12))
def test_a_signature_does_not_depend_on_its_neighbours(texts, chunk, first_words):
    together = signatures(texts, first_words)
    assert together.shape == (len(texts), VIEWS, HASHES) and together.dtype == np.uint16
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", chunk)
        assert (signatures(texts, first_words) == together).all()


def test_signatures_of_published_shards_stay_comparable():
    found = signatures(["The harbour at Brackwater was closed for two days, the council said."], 5)
    assert found[0, :, :3].tolist() == [[34701, 48369, 55455], [11421, 34890, 34779]]

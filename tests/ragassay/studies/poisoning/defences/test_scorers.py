"""Where texts are split, what becomes of values of tokens, and interpolated n-grams beside a plain loop over counts."""

import hashlib
import math
from collections import Counter

import numpy as np
import pytest

from ragassay.studies.poisoning.defences.scorer import (
    EVEN,
    FIRST,
    NEAREST,
    SPLITS,
    ScorerError,
    SurpriseScorer,
    TokenScores,
    half_of,
    split,
    surprises,
)
from ragassay.studies.poisoning.defences.scorers.ngram import TOKEN, Kind, Ngrams

TEXT = "One. Two words here and many more of them. End it now."


@pytest.mark.parametrize(
    ("text", "way", "first"),
    [
        (TEXT, EVEN, "One. Two words here and many"),
        (TEXT, FIRST, "One."),
        (TEXT, NEAREST, "One. Two words here and many more of them."),
        ("One two three four. Five. Six.", NEAREST, "One two three four."),
        ("No sentence ends here", NEAREST, "No sentence"),
        ("No sentence ends here", FIRST, "No sentence"),
        ("word", EVEN, "word"),
        ("", EVEN, ""),
    ],
)
def test_a_text_is_split(text, way, first):
    assert text[: split(text, way)] == first


def test_the_half_of_a_cluster_is_by_a_hash_of_its_name():
    for name in ("one", "two", "three", "four"):
        assert half_of(name) == hashlib.sha256(f"half {name}".encode()).digest()[0] % 2


class Letters(SurpriseScorer):
    """Each character that is no space is a token; its value is what `ord` says. Behind another text it is one less."""

    def scored(self, texts, halves):
        for text in texts:
            ends = [at + 1 for at, letter in enumerate(text) if letter != " "]
            values = [float(ord(text[end - 1])) - (at > 0) for at, end in enumerate(ends)]
            yield TokenScores(np.array(values), np.array(ends, int))


def test_means_of_whole_chunks_and_windows():
    (own,) = surprises(Letters(), ["aaaa bbbb"], [0], EVEN, 4, 2)
    a, b = ord("a"), ord("b")
    assert (own.tokens, own.is_short) == (8, False)
    assert own.pre == pytest.approx((4 * a - 3) / 4)
    assert own.post == pytest.approx((4 * b - 3) / 4) and own.post_given_pre == b - 1
    assert own.whole == pytest.approx((4 * a + 4 * b - 7) / 8) and own.window == b - 1


def test_a_short_chunk_counts_as_the_whole():
    (own,) = surprises(Letters(), ["aaaa bbb"], [0], EVEN, 4, 20)
    assert own.is_short and own.pre == own.post == own.post_given_pre == own.whole == own.window


class SixLetters(Letters):
    """Reads the first six letters of a text."""

    def scored(self, texts, halves):
        for scores in super().scored(texts, halves):
            yield scores._replace(values=scores.values[:6], ends=scores.ends[:6])


def test_a_chunk_that_is_cut_off_counts_as_the_whole_although_it_would_be_long_enough_alone():
    found = [next(surprises(SixLetters(), ["aaaa bbbb"], [0], EVEN, least, 2)) for least in (2, 3)]
    assert [(own.is_short, own.tokens) for own in found] == [(False, 6), (True, 6)]
    assert found[0].post == pytest.approx(ord("b") - 3 / 4) and found[0].post_given_pre == ord("b") - 1


TEXTS = ["The ferry sails. The ferry stops.", "A bridge fell, the ferry sails.", "", "The storm came; a bridge fell."]
ASKED = ["The ferry fell.", "Zyzzyva sails", "a bridge fell, the storm came", ""]


def slow(texts, order, text):
    """-log p of each token by Witten's and Bell's rule, from counts in dictionaries."""
    rows = [TOKEN.findall(own.lower()) for own in texts]
    known = {token for row in rows for token in row}
    counts = [Counter() for _ in range(order)]
    for row in rows:
        for at, token in enumerate(row):
            for size in range(1, order + 1):
                counts[size - 1][context(row, at, size), token] += 1

    def p(row, at, size):
        if size == 0:
            return 1 / (len(known) + 1)
        before = context(row, at, size)
        after = {token: count for (own, token), count in counts[size - 1].items() if own == before}
        if not after:
            return p(row, at, size - 1)
        total = sum(after.values()) + len(after)
        return (after.get(row[at], 0) + len(after) * p(row, at, size - 1)) / total

    row = TOKEN.findall(text.lower())
    return [-math.log(p(row, at, order)) for at in range(len(row))]


def context(row, at, size):
    """The tokens before one, behind a start that stands for whatever is in front of a text."""
    return tuple(row[at - back] if back <= at else None for back in range(size - 1, 0, -1)) if size > 1 else ()


@pytest.mark.parametrize("order", [1, 2])
def test_values_are_those_of_a_plain_loop(order):
    scorer = Kind([Ngrams.trained(TEXTS, order)] * 2, [])
    for text, scored in zip(ASKED, scorer.scored(ASKED, [0, 1, 0, 1]), strict=True):
        assert scored.values == pytest.approx(slow(TEXTS, order, text))
        assert [text[:end][-1] for end in scored.ends.tolist()] == [token[-1] for token in TOKEN.findall(text)]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_probabilities_of_all_tokens_add_up_to_one(order):
    model = Ngrams.trained(TEXTS, order)
    for before in (["the", "ferry"], ["bridge"], ["zyzzyva"], []):
        ids = model.ids(before)
        every = [model.values([np.append(ids, token)])[-1] for token in range(1, model.size)]
        assert np.exp(-np.array(every)).sum() == pytest.approx(1)


def test_longer_contexts_fit_what_was_read_better():
    means = [Ngrams.trained(TEXTS, order) for order in (1, 2, 3)]
    values = [model.values([model.ids(TOKEN.findall(TEXTS[1].lower()))]).mean() for model in means]
    assert values[0] > values[1] > values[2]


def test_a_model_in_which_ngrams_and_contexts_do_not_belong_together_is_refused():
    model = Ngrams.trained(TEXTS, 2)
    model.check()
    first, second = model.parts
    far = {
        "grams": second["grams"] + len(first["grams"]) * model.size,
        "contexts": second["contexts"] + len(first["grams"]),
    }
    for part in ({"contexts": second["contexts"] + 1}, far):
        with pytest.raises(ValueError, match="found n-grams with other contexts than those of the model"):
            Ngrams(model.words, [first, second | part]).check()


def test_what_stands_in_both_halves_is_read_by_no_model():
    notice, sides = "Subscribe today.", ("The ferry sails.", "A bridge fell.")
    scorer = Kind.trained(lambda side: [sides[side], notice], 2)
    assert [set(model.words) for model in scorer.models] == [
        {"the", "ferry", "sails", "."},
        {"a", "bridge", "fell", "."},
    ]
    assert [scorer.half(text) for text in sides] == [0, 1]
    with pytest.raises(ScorerError, match="found 1 texts in both of two halves and none in one alone"):
        Kind.trained(lambda side: [notice], 2)


def test_a_scorer_is_as_surprised_by_a_text_with_hidden_characters_as_by_the_plain_one():
    scorer = Kind.trained(lambda half: TEXTS[half::2], 2)
    plain, hidden = surprises(scorer, [TEXTS[0], TEXTS[0].replace("e", "e\u200b")], [0, 0], EVEN, 2, 5)
    assert plain == hidden and np.isfinite(plain.whole)


class Forgetful(SurpriseScorer):
    """The same scorer, which does not say how far back its tokens look."""

    def __init__(self, scorer):
        self.scored = scorer.scored


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("way", SPLITS)
def test_second_chunks_taken_from_the_whole_are_those_that_are_scored_alone(order, way):
    scorer = Kind.trained(lambda half: TEXTS[half::2], order)
    texts = [
        *TEXTS,
        *ASKED,
        "ferry",
        "?!",
        "Storm (the ferry's). A bridge-way fell; sails, over there",
        "  the   storm  came ",
    ]
    found, plain = (list(surprises(one, texts, [0] * len(texts), way, 1, 3)) for one in (scorer, Forgetful(scorer)))
    assert found == plain and len({one.post for one in found}) > 5

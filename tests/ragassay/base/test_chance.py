"""Draws follow from names alone; the part of a data set follows from the key alone, and parts have their shares."""

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.base import chance
from ragassay.base.chance import PARTS, split_of

NAMES = [f"item-{number}" for number in range(2000)]


def test_a_draw_is_the_hash_of_its_purpose_and_its_names():
    assert chance.lot("fold", "a", 7) == hashlib.sha256(b"fold a 7").digest()
    assert chance.number("fold", "a", 7, width=2) == 256 * chance.lot("fold", "a", 7)[0] + chance.lot("fold", "a", 7)[1]
    assert chance.share("fold", "a", 7) == int(hashlib.sha256(b"fold a 7").hexdigest()[:8], 16) / 2**32


def test_an_old_draw_has_no_purpose():
    assert chance.lot(None, "a") == hashlib.sha256(b"a").digest()


def test_shares_are_even():
    shares = [chance.share("share", name) for name in NAMES]
    assert 0 <= min(shares) < 0.01
    assert 0.99 < max(shares) < 1
    assert sum(shares) / len(shares) == pytest.approx(0.5, abs=0.03)


def test_draws_of_two_purposes_are_independent():
    both = sum(chance.number("first", name) % 2 == chance.number("second", name) % 2 for name in NAMES)
    assert both / len(NAMES) == pytest.approx(0.5, abs=0.05)


def test_any_text_can_be_drawn():
    assert chance.lot("fold", "\ud800") != chance.lot("fold", "\udfff")


def test_parts_have_their_shares():
    found = Counter(split_of(f"cluster-{number:016x}") for number in range(20_000))
    shares = {part: count / 20_000 for part, count in found.items()}
    assert shares == pytest.approx({"train": 0.8, "validation": 0.1, "test": 0.1}, abs=0.01)


@pytest.mark.parametrize(
    ("key", "part"),
    [("cluster-0", "train"), ("cluster-5", "validation"), ("cluster-14", "test"), ("élan", "train"), ("", "test")],
)
def test_a_published_split_never_moves(key, part):
    assert split_of(key) == part


@given(st.text())
def test_over_ten_folds_a_key_is_tested_once(key):
    parts = Counter(split_of(key, fold) for fold in range(len(PARTS)))
    assert parts == {"train": 8, "validation": 1, "test": 1}
    assert split_of(key, len(PARTS)) == split_of(key)

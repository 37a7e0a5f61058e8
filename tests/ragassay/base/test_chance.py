import hashlib

import pytest

from ragassay.base import chance

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

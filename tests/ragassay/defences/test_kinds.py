"""Defences between which every other stands: none, one that knows, and one that reads nothing."""

from ragassay import variants
from ragassay.defences.defence import KINDS, filtered

FOUND = {
    "a": [{"rank": rank, "passage_id": f"p{rank}", "text": "", "poisoned": rank in (1, 3)} for rank in range(1, 6)],
    "b": [{"rank": 1, "passage_id": "p9", "text": "", "poisoned": False}],
}


def shown(kind, k=2):
    rows = list(filtered(kind, FOUND, k, {}, "defences.mine"))
    assert [row["passage_id"] for row in rows] == [one["passage_id"] for own in FOUND.values() for one in own]
    assert all(row["shown"] is None for row in rows if row["removed"])
    return {(row["target_id"], row["passage_id"]): row["shown"] for row in rows if row["shown"]}


def test_without_defence_the_first_are_answered_from():
    assert shown("none") == {("a", "p1"): 1, ("a", "p2"): 2, ("b", "p9"): 1}


def test_the_oracle_removes_exactly_what_is_poisoned_and_others_follow():
    assert shown("oracle") == {("a", "p2"): 1, ("a", "p4"): 2, ("b", "p9"): 1}
    assert shown("oracle", k=9) == {("a", "p2"): 1, ("a", "p4"): 2, ("a", "p5"): 3, ("b", "p9"): 1}


def test_a_closed_book_shows_nothing():
    assert shown("closed_book") == {}


def test_whatever_removes_says_why():
    for kind in variants.names(KINDS):
        for row in filtered(kind, FOUND, 2, variants.load(KINDS, kind, "").SETTINGS, "defences.mine"):
            assert bool(row["reason"]) == row["removed"]

"""Sampling: Cochran's number, shares by largest remainder, the same draw every time, groups that are alike."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.labels import sample_for_annotation


@pytest.mark.parametrize(
    ("population", "confidence", "margin", "expected"),
    [
        (10**9, 0.95, 0.05, 385),  # the textbook's number for no limit
        (1000, 0.95, 0.05, 278),  # and for a thousand
        (100, 0.95, 0.05, 80),
        (10**9, 0.99, 0.05, 664),
        (1, 0.95, 0.05, 1),
        (0, 0.95, 0.05, 0),
    ],
)
def test_cochrans_number_is_that_of_the_textbooks(population, confidence, margin, expected):
    assert sample_for_annotation.cochran(population, confidence, margin) == expected


def test_the_papers_sample_is_216_in_three_groups_of_72():
    assert sample_for_annotation.size(8949 + 10105 + 216, 0.95, 0.0667, 3) == 216


def test_few_questions_are_all_taken():
    assert sample_for_annotation.size(5, 0.95, 0.0667, 3) == 5


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 60), max_size=8), st.integers(0, 300))
def test_shares_are_in_proportion_and_add_up(sizes, wanted):
    wanted = min(wanted, sum(sizes.values()))
    given = sample_for_annotation.allocation(sizes, wanted)
    assert sum(given.values()) == wanted
    for name, size in sizes.items():
        share = wanted * size / (sum(sizes.values()) or 1)
        assert given[name] <= size and abs(given[name] - share) < 1


def test_the_rest_goes_to_the_largest_remainders():
    assert sample_for_annotation.allocation({"a": 5, "b": 3, "c": 2}, 5) == {"a": 3, "b": 1, "c": 1}  # 2.5, 1.5 and 1
    assert sample_for_annotation.allocation({"b": 1, "a": 1}, 1) == {"a": 1, "b": 0}


def strata(count):
    return {f"question-{number}": "ab"[number % 2] for number in range(count)}


def test_the_draw_does_not_depend_on_the_order_and_changes_with_the_seed():
    some = strata(50)
    shuffled = dict(sorted(some.items(), key=lambda pair: pair[0][::-1]))
    first = sample_for_annotation.drawn(some, 20, 0)
    assert first == sample_for_annotation.drawn(shuffled, 20, 0) and len(set(first)) == 20
    assert set(first) != set(sample_for_annotation.drawn(some, 20, 1))


def test_more_questions_move_few_of_the_old_ones():
    old, new = sample_for_annotation.drawn(strata(200), 60, 0), sample_for_annotation.drawn(strata(210), 60, 0)
    assert len(set(old) & set(new)) >= 50


def test_groups_are_of_one_size_and_get_their_share_of_each_stratum():
    chosen = sample_for_annotation.drawn(strata(90), 30, 0)
    groups = sample_for_annotation.dealt(chosen, 3)
    assert Counter(groups.values()) == {1: 10, 2: 10, 3: 10}
    assert Counter((groups[name], strata(90)[name]) for name in chosen) == {(g, s): 5 for g in (1, 2, 3) for s in "ab"}

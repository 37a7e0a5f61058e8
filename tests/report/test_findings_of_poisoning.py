"""The findings of the pages of poisoning: each says the reverse of a reversed effect, and nothing of five items."""

import pytest

from described import first_parts, holds, nothing, rules

PAGES = {
    "raguard": ["raguard", "attacks", "raguard_thresholds", "raguard_answers", "raguard_settings"],
    "revprag": ["revprag", "revprag_transfer", "revprag_numbers"],
}
EVERY = [section for sections in PAGES.values() for section in sections]


@pytest.mark.parametrize(("section", "rule"), rules(*EVERY))
def test_each_finding_follows_its_number(tmp_path, section, rule):
    holds(tmp_path, section, rule)


@pytest.mark.parametrize("section", EVERY)
def test_nothing_was_measured(tmp_path, section):
    nothing(tmp_path, section)


@pytest.mark.parametrize("sections", PAGES.values(), ids=PAGES)
def test_at_most_six_charts_and_three_tables_stand_above_the_details(sections):
    kinds = first_parts(*sections)
    assert kinds.count("table") <= 3 and len(kinds) - kinds.count("table") <= 6

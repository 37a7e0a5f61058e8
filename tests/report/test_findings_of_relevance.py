"""The findings of the page of relevance: each says the reverse of a reversed effect, and nothing of five items."""

import pytest

from described import first_parts, holds, nothing, rules

PAGE = ["relevance", "relevance_answers", "relevance_figures", "relevance_tables", "drift", "retrieval", "coverage"]


@pytest.mark.parametrize(("section", "rule"), rules(*PAGE))
def test_each_finding_follows_its_number(tmp_path, section, rule):
    holds(tmp_path, section, rule)


@pytest.mark.parametrize("section", PAGE)
def test_nothing_was_measured(tmp_path, section):
    nothing(tmp_path, section)


def test_at_most_six_charts_and_three_tables_stand_above_the_details():
    kinds = first_parts(*PAGE)
    assert kinds.count("table") <= 3 and len(kinds) - kinds.count("table") - kinds.count("examples") <= 6

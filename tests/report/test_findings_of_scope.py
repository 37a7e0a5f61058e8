"""The findings of the page of scope: each says the reverse of a reversed effect, and nothing of five items."""

import pytest

from described import first_parts, holds, nothing, rules

ALWAYS = ["scope", "scope_questions", "responses", "responses_judge", "responses_numbers"]
ALWAYS += ["detectors", "detectors_numbers", "question_sets"]
PAGE = [*ALWAYS, "agreement", "detectors_gold"]  # the last two only where people have labelled


@pytest.mark.parametrize(("section", "rule"), rules(*PAGE))
def test_each_finding_follows_its_number(tmp_path, section, rule):
    holds(tmp_path, section, rule)


@pytest.mark.parametrize("section", PAGE)
def test_nothing_was_measured(tmp_path, section):
    nothing(tmp_path, section)


def test_at_most_six_charts_and_three_tables_stand_above_the_details():
    kinds = first_parts(*ALWAYS)
    assert kinds.count("table") <= 3 and len(kinds) - kinds.count("table") <= 6

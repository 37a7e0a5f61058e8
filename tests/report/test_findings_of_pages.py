"""The findings of pages: each says the reverse of a reversed effect, and nothing of five items."""

import pytest

from described import first_parts, holds, nothing, rules

ALWAYS = {
    "raguard": ["raguard", "attacks", "raguard_thresholds", "raguard_answers", "raguard_settings"],
    "relevance": [
        "relevance", "relevance_answers", "relevance_figures", "relevance_tables", "drift", "retrieval", "coverage",
    ],
    "revprag": ["revprag", "revprag_transfer", "revprag_numbers"],
    "scope": [
        "scope", "scope_questions", "responses", "responses_judge", "responses_numbers", "detectors",
        "detectors_numbers", "question_sets",
    ],
}  # fmt: skip
LABELLED = ["agreement", "detectors_gold"]  # only where people have labelled
EVERY = [section for sections in (*ALWAYS.values(), LABELLED) for section in sections]


@pytest.mark.parametrize(("section", "rule"), rules(*EVERY))
def test_each_finding_follows_its_number(tmp_path, section, rule):
    holds(tmp_path, section, rule)


@pytest.mark.parametrize("section", EVERY)
def test_nothing_was_measured(tmp_path, section):
    nothing(tmp_path, section)


@pytest.mark.parametrize("page", ALWAYS)
def test_at_most_six_charts_and_three_tables_stand_above_the_details(page):
    kinds = first_parts(*ALWAYS[page])
    examples = kinds.count("examples") if page == "relevance" else 0
    assert kinds.count("table") <= 3 and len(kinds) - kinds.count("table") - examples <= 6

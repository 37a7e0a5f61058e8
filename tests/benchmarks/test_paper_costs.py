"""What the paper's settings cost is read from the table of `make estimate` and scaled."""

from collections import Counter

import pytest

import paper_costs
from ragassay.calls.estimate import table
from scripts.people.sample_for_annotation import cochran
from tools import docs


def row(rule, model, requests, dollars):
    return {
        "rule": rule,
        "model": model,
        "requests": requests,
        "pico": dollars * 10**12,
        "pico_at_most": 2 * dollars * 10**12,
    }


ROWS = [row("write_questions", "gpt-4o-mini", 1_100, 2), row("judge_scope", "gpt-4o-mini", 330, 3)]
ROWS += [row("judge_scope", "gpt-3.5", 132, 4)]


def test_the_table_of_an_estimate_is_read_whole_and_without_its_sum():
    found = paper_costs.asked(f"3 of 5 steps done\n{table(ROWS)}\nSettings that save calls:\n  one: $1, 2% of all\n")
    assert found == {
        ("write_questions", "gpt-4o-mini"): Counter({"requests": 1100.0, "dollars": 2.0, "at most": 4.0}),
        ("judge_scope", "gpt-4o-mini"): Counter({"requests": 330.0, "dollars": 3.0, "at most": 6.0}),
        ("judge_scope", "gpt-3.5"): Counter({"requests": 132.0, "dollars": 4.0, "at most": 8.0}),
    }


def test_all_grows_with_documents_but_the_votes_on_a_sample():
    found = paper_costs.scaled(paper_costs.asked(table(ROWS)), 10)
    sample = cochran(3_300, **paper_costs.COCHRAN) / cochran(330, **paper_costs.COCHRAN)
    assert 1 < sample < 2
    assert found["write_questions"]["requests"] == 11_000
    assert found["judge_scope"]["dollars"] == pytest.approx(30 + 4 * sample)
    assert found["all"]["at most"] == pytest.approx(40 + 60 + 8 * sample) and list(found)[-1] == "all"


def test_the_documents_show_it_by_rule_and_beside_the_study():
    printed = [["paper_judge_scope_requests", "1.1e+04"], ["paper_judge_scope_dollars", "2.387"]]
    printed += [["paper_judge_scope_at_most", "48.85"], ["paper_all_requests", "2e+04"], ["paper_all_dollars", "41.25"]]
    printed = {"paper_costs": [*printed, ["paper_all_at_most", "500.3"]]}
    assert docs.paper_costs(printed).splitlines()[2:] == [
        "| judge_scope | 11,000 | 2.39 | 49 |",
        "| all | 20,000 | 41.25 | 500 |",
    ]
    scope = [line for line in docs.studies(printed).splitlines() if "STUDY=scope" in line]
    assert scope and {line.split(" | ")[3] for line in scope} == {"41"}

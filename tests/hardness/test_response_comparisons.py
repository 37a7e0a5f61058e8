"""Differences between responders by hand, and answers without a document."""

import json

import numpy as np
import pytest

from ragassay.metrics.panel import Panel
from ragassay.studies.scope.response_comparisons import ClosedBook, Comparisons, shared
from ragassay.studies.scope.verdict_matrix import AFTER, BEFORE, UNKNOWN, period
from ragassay.text.words import stems
from study import cells, questions


def found(asked, codes, flips=999):
    """(compared, within, first, second) -> metric -> row"""
    table, rows = Comparisons("g", list(cells(**codes)), flips, 200, 0), {}
    table.add(asked, cells(**codes))
    for row in table.rows():
        keys = json.loads(row["keys"])
        pair = tuple(keys[name] for name in ("compared", "within", "first", "second"))
        rows.setdefault(pair, {})[row["metric"]] = row
    return rows


def test_responders_are_compared_within_prompts_and_prompts_within_responders():
    asked = questions(range(4), ["food"] * 4)
    codes = {f"{prompt}__{responder}": [1, 1, 0, 0] for prompt in ("basic", "cot") for responder in "ab"}
    assert found(asked, codes).keys() == {
        ("responder", "basic", "a", "b"),
        ("responder", "cot", "a", "b"),
        ("prompt", "a", "basic", "cot"),
        ("prompt", "b", "basic", "cot"),
    }
    assert found(asked, {"basic__a": [1, 1, 0, 0]}) == {}


def test_a_difference_is_over_the_questions_on_which_both_have_a_verdict():
    asked = questions([0, 0, 1, 2, 3], ["food"] * 4, kept=[1, 1, 1, 1, 0])
    [rows] = found(asked, {"basic__a": [1, 1, -1, 0, 1], "basic__b": [0, 1, 1, -2, 0]}).values()
    difference = rows["difference"]
    assert (difference["value"], difference["n"], difference["abstained"]) == (0.5, 2, 1)
    assert [rows[name]["value"] for name in ("at_least", "at_most", "unsettled")] == [0, pytest.approx(1 / 3), 1]


def test_one_who_wins_everywhere_is_better_and_holm_counts_the_tests():
    asked = questions(np.repeat(range(60), 2), ["food"] * 60)
    best, worst, same = [1] * 120, [0] * 120, [0, 1] * 60
    rows = found(asked, {"basic__a": best, "basic__b": worst, "basic__c": same})
    one = rows["responder", "basic", "a", "b"]
    names = ("difference", "p", "p_holm", "at_least", "at_most", "unsettled")
    assert [one[name]["value"] for name in names] == pytest.approx([1, 0.001, 0.003, 1, 1, 0])
    assert (one["difference"]["low"], one["difference"]["high"]) == (1, 1)


def test_only_differences_are_drawn(monkeypatch):
    drawn, usual = [], Panel.drawn
    monkeypatch.setattr(Panel, "drawn", lambda self, sums: drawn.append((self.times, sums.shape)) or usual(self, sums))
    found(questions(range(4), ["food"] * 4), {"basic__a": [1, 1, 0, 0], "basic__b": [0, 1, 1, 0]})
    assert drawn == [(200, (4, 2)), (0, (4, 4))], "sums and counts of one pair"


def test_the_questions_of_one_document_count_as_one_piece_of_evidence():
    codes = {"basic__a": [1] * 12, "basic__b": [0] * 12}
    apart, [together] = (
        found(questions(range(12), ["food"] * 12), codes),
        found(questions([0] * 12, ["food"]), codes).values(),
    )
    [apart] = apart.values()
    assert apart["p"]["value"] < 0.01 and together["p"]["value"] == 1


def test_shared_words_leave_out_those_of_the_question():
    question = stems("How many trams does the museum have?")
    assert shared(stems("The museum has 22 trams."), stems("The museum has 22 old trams."), question) == 0.5
    assert np.isnan(shared(stems("Who knows?"), stems("The museum has trams."), question))


@pytest.mark.parametrize(
    ("published", "cutoff", "expected"),
    [
        ("2024-01-01", "2023-12-31", AFTER),
        ("2023-12-31", "2023-12-31", BEFORE),
        (None, "2023-12-31", UNKNOWN),
        ("2024-01-01", None, UNKNOWN),
    ],
)
def test_days_are_compared(published, cutoff, expected):
    assert period(published, cutoff) == expected


TEXTS = ["Who built the red bridge?", "Who sold it?", "What did it cost?", "When was it sold?", "Who paid?"]
ASKED = questions([0, 0, 0, 0, 1], ["x", "x"], out=[1, 1, 0, 0, 0], published=["2024-05-01", None], texts=TEXTS)
ANSWERS = ["Carpenters from Hull.", "I do not know.", "It cost 500 marks in gold.", "In 1931.", "I do not know."]
WITH = ["It is not told.", "A bank.", "The price was 500 marks.", "Nobody says.", "The town paid."]


def found_closed_book(cutoff):
    codes = np.array([1, 0, -2, -2, -2], np.int8)
    table, rows = ClosedBook("g", "r", cutoff, 100, 0), {}
    table.add(ASKED, ANSWERS, WITH, codes)
    for row in table.rows():
        keys = json.loads(row["keys"])
        rows.setdefault((keys["published"], keys["questions"]), {})[row["metric"]] = (row["value"], row["n"])
    return rows


def test_what_the_model_would_have_answered_anyway_is_told_apart():
    rows = found_closed_book("2023-12-31")
    assert rows.keys() == {(AFTER, "out of scope"), (AFTER, "in scope"), (UNKNOWN, "in scope")}
    out = rows[AFTER, "out of scope"]
    assert out["answered"] == (0.5, 2) and out["defused_if_answered"] == (1, 1) and out["defused_if_declined"] == (0, 1)
    assert rows[UNKNOWN, "in scope"]["answered"] == (0, 1) and rows[UNKNOWN, "in scope"]["known"] == (None, 0)


def test_knowing_stands_beside_what_another_answer_of_the_document_shares():
    known, chance = (found_closed_book("2025-01-01")[BEFORE, "in scope"][name] for name in ("known", "known_by_chance"))
    assert known == (pytest.approx((2 / 3 + 0) / 2), 2) and chance[0] < known[0]


def test_another_answer_of_the_document_is_the_one_before_it_that_was_given():
    """Of three in-scope questions the first is compared with the last, and the answer of the second was not given."""
    texts = ["Where?", "When?", "Who?", "How?"]
    asked = questions([0, 0, 0, 1], ["x", "x"], out=[0, 0, 0, 0], texts=texts)
    answers = ["Harbour bridge.", "Bridge tower.", "Tower quay.", "Mill."]
    responses = ["Harbour tower.", None, "Quay bridge.", "Mill."]
    table = ClosedBook("g", "r", None, 0, 0)
    table.add(asked, answers, responses, np.zeros(4, np.int8))
    found = {row["metric"]: (row["value"], row["n"]) for row in table.rows()}
    assert found["known"] == (pytest.approx((0.5 + 0.5 + 1) / 3), 3), "nothing of the second question's"
    assert found["known_by_chance"] == (pytest.approx((0.5 + 0.5) / 2), 2), (
        "1 by 3, 2 by 1; 3 by 2 and the only one by none"
    )

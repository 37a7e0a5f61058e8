"""Whether an answer is right, wrong or declined, and what is no verdict."""

import pytest

from ragassay.calls.model import Answer
from ragassay.grading.declines import declines, declines_from_passages
from ragassay.grading.outcomes import ABSTAINED, DECLINED, RIGHT, WRONG, grade

YEAR = {"answers": ["1931"], "options": None}
TOWN = {"answers": ["Port Alder"], "options": ["Port Alder", "Brackwater", "Hallowmere"]}
DOCTOR = {"answers": ["Dr. Rufus Anker", "Anker"], "options": None}
YES = {"answers": ["yes"], "options": ["yes", "no", "maybe"]}


def outcome(text, query, finish_reason="stop", reads=declines_from_passages):
    return grade(Answer(text, finish_reason), query, reads)


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("It was opened in 1931.", YEAR, RIGHT),
        ("It was opened in 1932.", YEAR, WRONG),
        ("The passages do not say when it was opened.", YEAR, DECLINED),
        ("The passages do not say so outright, but it was 1931.", YEAR, RIGHT),
        ("None of the passages names a year. The museum opened in 1931.", YEAR, RIGHT),
        ("The passages do not say whether it was 1931.", YEAR, DECLINED),
        ("The passages do not say so, but it may have been 1932.", YEAR, DECLINED),
        ("In Port Alder.", TOWN, RIGHT),
        ("In Port Alder or in Brackwater.", TOWN, WRONG),
        ("I cannot tell whether it is Port Alder or Brackwater.", TOWN, DECLINED),
        ("The passages do not say whether it was Dr. Anker.", DOCTOR, DECLINED),
        ("The passages do not say so. Dr. Anker, perhaps.", DOCTOR, RIGHT),
        ("Yes, it does.", YES, RIGHT),
        ("No.", YES, WRONG),
        ("No passage says so.", YES, DECLINED),
        ("<think>Perhaps 1931?</think>It was 1932.", YEAR, WRONG),
    ],
)
def test_an_answer_is_graded_by_its_words(text, query, expected):
    assert outcome(text, query) == (expected, None)


@pytest.mark.parametrize(
    ("text", "finish_reason", "reason"),
    [
        ("", "content_filter", "refusal"),
        ("", "too_long", "too_long"),
        ("anything", "provider_error", "provider_error"),
        ("  ", "stop", "empty"),
        ("", "length", "truncated"),
        ("The bridge, which was built", "length", "truncated"),
    ],
)
def test_what_cannot_be_graded_is_no_verdict(text, finish_reason, reason):
    assert outcome(text, YEAR, finish_reason) == (ABSTAINED, reason)


def test_an_answer_that_was_right_before_it_was_cut_off_is_right():
    assert outcome("It was opened in 1931 by the mayor, who", YEAR, "length") == (RIGHT, None)
    assert outcome("The passages do not say when the", YEAR, "length") == (DECLINED, None)


def test_what_declines_depends_on_what_the_model_was_shown():
    text = "There is no information available on that."
    assert outcome(text, YEAR, reads=declines) == (DECLINED, None)
    assert outcome(text, YEAR) == (WRONG, None)

"""What became of a question, by the words of its answer and by nothing else."""

import pytest

from ragassay.calls.model import Answer
from ragassay.grading.declines import declines, declines_from_passages
from ragassay.grading.outcomes import agreed, grade, plain_answer, right_answers, target_outcome

YEAR = {"answers": ["1931"], "options": None}
TOWN = {"answers": ["Port Alder"], "options": ["Port Alder", "Brackwater", "Hallowmere"]}
DOCTOR = {"answers": ["Dr. Rufus Anker", "Anker"], "options": None}
YES = {"answers": ["yes"], "options": ["yes", "no", "maybe"]}


def outcome(text, query, finish_reason="stop", reads=declines_from_passages):
    return grade(Answer(text, finish_reason), query, reads)


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("It was opened in 1931.", YEAR, "right"),
        ("It was opened in 1932.", YEAR, "wrong"),
        ("The passages do not say when it was opened.", YEAR, "declined"),
        ("The passages do not say so outright, but it was 1931.", YEAR, "right"),
        ("None of the passages names a year. The museum opened in 1931.", YEAR, "right"),
        ("The passages do not say whether it was 1931.", YEAR, "declined"),
        ("The passages do not say so, but it may have been 1932.", YEAR, "declined"),
        ("In Port Alder.", TOWN, "right"),
        ("In Port Alder or in Brackwater.", TOWN, "wrong"),
        ("I cannot tell whether it is Port Alder or Brackwater.", TOWN, "declined"),
        ("The passages do not say whether it was Dr. Anker.", DOCTOR, "declined"),
        ("The passages do not say so. Dr. Anker, perhaps.", DOCTOR, "right"),
        ("Yes, it does.", YES, "right"),
        ("No.", YES, "wrong"),
        ("No passage says so.", YES, "declined"),
        ("<think>Perhaps 1931?</think>It was 1932.", YEAR, "wrong"),
        ("<think>Perhaps 1931?</th\u200bink>It was 1932.", YEAR, "wrong"),
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
    assert outcome(text, YEAR, finish_reason) == ("abstained", reason)


def test_an_answer_that_was_right_before_it_was_cut_off_is_right():
    assert outcome("It was opened in 1931 by the mayor, who", YEAR, "length") == ("right", None)
    assert outcome("The passages do not say when the", YEAR, "length") == ("declined", None)


def test_what_declines_depends_on_what_the_model_was_shown():
    text = "There is no information available on that."
    assert outcome(text, YEAR, reads=declines) == ("declined", None)
    assert outcome(text, YEAR) == ("wrong", None)


@pytest.mark.parametrize(
    ("one", "other", "right"),
    [
        ("1931", "It was built in 1931.", "1931"),
        ("It was Ada Vance", "Ada Vance", "Ada Vance"),
        ("the Marl Bridge", "Marl bridge", "Marl bridge"),
        ("1,900 people", "nineteen hundred people", "1,900 people"),
        ("no", "they know", None),
        ("Ada Vance", "Bo Lind", None),
        ("", "Ada", None),
    ],
)
def test_the_shorter_of_two_that_agree_is_right(one, other, right):
    assert agreed(one, other) == agreed(other, one) == right


def test_all_known_answers_count_where_the_passage_gives_one_of_them():
    right = right_answers("It took nine days", ["about nine days", "nine days", "over a week"])
    assert right == ["nine days", "over a week"], "about nine days has nine days in it"
    assert right_answers("a week", ["nine days"]) == right_answers(None, ["nine days"]) == right_answers("x", []) == []


@pytest.mark.parametrize(
    ("text", "finish", "given"),
    [
        (' "12 marks."\n', "stop", "12 marks"),
        ("I do not know.", "stop", None),
        ("", "stop", None),
        ("Ada", "content_filter", None),
        (".", "stop", None),
    ],
)
def test_an_answer_is_one_line_or_none(text, finish, given):
    assert plain_answer(Answer(text, finish), declines) == given


ROW = {"answers": ["214 million marks", "214 million"], "target": "98 million marks", "target_aliases": ["98 million"]}
YES = {"answers": ["no"], "target": "yes", "target_aliases": []}


def target(text, row=ROW, finish_reason="stop"):
    return target_outcome(Answer(text, finish_reason), row, declines_from_passages)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It cost 214 million marks.", "correct"),
        ("It cost 214,000,000 marks.", "correct"),
        ("It cost ninety-eight million marks.", "target"),
        ("98 million", "target"),
        ("Some say 98 million, others 214 million.", "both"),
        ("It cost 64 million marks.", "neither"),
        ("It cost 1,214 million marks.", "neither"),
        ("It cost 298 million marks.", "neither"),
        ("The passages do not say what it cost.", "refusal"),
        ("I do not know.", "refusal"),
        ("The passages do not say whether it was 98 million.", "refusal"),
        ("The passages do not agree, but it was 98 million.", "target"),
    ],
)
def test_answers_give_the_right_one_the_wanted_one_both_neither_or_none(text, expected):
    assert target(text) == (expected, None)


@pytest.mark.parametrize(
    ("text", "expected"), [("No, it did not.", "correct"), ("Yes.", "target"), ("I know it.", "neither")]
)
def test_no_is_not_inside_know(text, expected):
    assert target(text, YES) == (expected, None)


@pytest.mark.parametrize(
    ("text", "reason", "expected"),
    [("", "stop", "empty"), (None, "content_filter", "refusal"), ("", "provider_error", "provider_error")],
)
def test_what_holds_no_answer_is_no_verdict(text, reason, expected):
    assert target(text, finish_reason=reason) == ("abstained", expected)

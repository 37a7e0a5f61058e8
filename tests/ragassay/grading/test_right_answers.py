"""Two answers agree where one stands in the other; the shorter is the right one."""

import pytest

from ragassay.calls.model import Answer
from ragassay.grading.declines import declines
from ragassay.grading.outcomes import agreed, plain_answer, right_answers


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
    found = right_answers("It took nine days", ["about nine days", "nine days", "over a week"])
    assert found == ["nine days", "over a week"], "about nine days has nine days in it"
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

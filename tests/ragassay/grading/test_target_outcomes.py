"""What an answer to a target's question is: by its words, and by nothing else."""

import pytest

from ragassay.calls.model import Answer
from ragassay.grading.declines import declines_from_passages
from ragassay.grading.outcomes import ABSTAINED, BOTH, CORRECT, NEITHER, REFUSAL, TARGET, target_outcome

ROW = {"answers": ["214 million marks", "214 million"], "target": "98 million marks", "target_aliases": ["98 million"]}
YES = {"answers": ["no"], "target": "yes", "target_aliases": []}


def found(text, row=ROW, finish_reason="stop"):
    return target_outcome(Answer(text, finish_reason), row, declines_from_passages)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It cost 214 million marks.", CORRECT),
        ("It cost 214,000,000 marks.", CORRECT),
        ("It cost ninety-eight million marks.", TARGET),
        ("98 million", TARGET),
        ("Some say 98 million, others 214 million.", BOTH),
        ("It cost 64 million marks.", NEITHER),
        ("It cost 1,214 million marks.", NEITHER),
        ("It cost 298 million marks.", NEITHER),
        ("The passages do not say what it cost.", REFUSAL),
        ("I do not know.", REFUSAL),
        ("The passages do not say whether it was 98 million.", REFUSAL),
        ("The passages do not agree, but it was 98 million.", TARGET),
    ],
)
def test_answers_give_the_right_one_the_wanted_one_both_neither_or_none(text, expected):
    assert found(text) == (expected, None)


@pytest.mark.parametrize(
    ("text", "expected"), [("No, it did not.", CORRECT), ("Yes.", TARGET), ("I know it.", NEITHER)]
)
def test_no_is_not_inside_know(text, expected):
    assert found(text, YES) == (expected, None)


@pytest.mark.parametrize(
    ("text", "reason", "expected"),
    [("", "stop", "empty"), (None, "content_filter", "refusal"), ("", "provider_error", "provider_error")],
)
def test_what_holds_no_answer_is_no_verdict(text, reason, expected):
    assert found(text, finish_reason=reason) == (ABSTAINED, expected)

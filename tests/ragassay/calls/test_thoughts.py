"""What a model thinks before it answers is no answer, wherever its server puts it, and is paid for all the same."""

import json

import pytest

from ragassay.calls.complete import complete
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.model import Request, Usage, provider_for
from ragassay.calls.parsers.result import Abstain
from ragassay.calls.wire.replies import answer_in
from ragassay.grading.verdicts import parse_verdict
from tools.provider.chat import THOUGHT


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("It is open.", "It is open."),
        ("<think>\nyes or no?\n</think>\n\nIt is open.", "It is open."),
        ("  <thinking>hm</thinking>It is open.", "It is open."),
        ("hm, yes or no?\n</think>\nIt is open.", "It is open."),  # the first tag stood in the prompt
        ("<think></think>\n\nIt is open.", "It is open."),
        ("<think>It is open. Or is it", ""),
        ("It is <think> a tag </think> that the text is about", "It is <think> a tag </think> that the text is about"),
        ("The tag <think> is never closed", "The tag <think> is never closed"),
        ([{"type": "text", "text": "It is "}, {"type": "text", "text": "open."}], "It is open."),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "It is open."}], "It is open."),
        ([{"type": "thinking", "thinking": "hm"}], ""),
        ([], ""),
    ],
)
def test_thoughts_are_no_part_of_the_answer(content, text):
    assert answer_in(content) == text


@pytest.mark.parametrize("content", [3, {"text": "yes"}, ["yes"], [None], [{"type": "text"}], [{"text": "yes"}]])
def test_what_is_neither_a_text_nor_parts_is_an_error(content):
    with pytest.raises(TypeError):
        answer_in(content)


@pytest.mark.parametrize(
    ("odd", "verdict"), [("thoughts", True), ("parts", True), ("hidden", True), ("unclosed", Abstain("truncated"))]
)
def test_verdicts_are_read_from_answers_alone_and_thoughts_are_paid(serve, model, tmp_path, odd, verdict):
    server = serve(texts=["The answer is: yes."], odd_answers={odd: 1.0})
    assert parse_verdict(THOUGHT, "stop") != True  # noqa: E712  it would be read as something else
    request = Request([{"role": "user", "content": "Is the harbour open?"}], {"max_tokens": 90})
    ((answer,),) = complete([request], model(server), tmp_path)
    parsed = parse_verdict(answer.text, answer.finish_reason)
    assert getattr(parsed, "value", parsed) == verdict
    billed = server.summary()["completion_tokens"]
    assert Ledger(tmp_path).counts["completion"] == billed == answer.completion_tokens > 15


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}, Usage(9, 0, 4)),
        ({"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 113}, Usage(9, 0, 104)),  # thoughts
        ({"prompt_tokens": 9, "completion_tokens": -4}, Usage(9, 0, 0)),
        ({"prompt_tokens": -9, "completion_tokens": 4, "total_tokens": -5}, Usage(0, 0, 4)),
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 90}}, Usage(9, 9, 0)),
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": None}}, Usage(9, 0, 0)),
        (None, Usage()),
        ("many", Usage()),
        ({"prompt_tokens": "many", "completion_tokens": [4]}, Usage()),
        ({"prompt_tokens": 9, "completion_tokens": float("inf"), "total_tokens": float("nan")}, Usage(9, 0, 0)),
        ({"prompt_tokens": 9, "prompt_tokens_details": [1]}, Usage(9, 0, 0)),
        ({"prompt_tokens": 9, "completion_tokens": 900_000}, Usage(9, 0, 900_000)),  # thoughts
        ({"prompt_tokens": 9, "completion_tokens": 10**30}, Usage()),
        ({"prompt_tokens": 1e300, "completion_tokens": 4}, Usage()),
    ],
)
def test_tokens_are_counted_as_they_are_billed(model, usage, counted):
    body = json.dumps({"choices": [{"message": {"content": "yes"}}], "usage": usage})
    assert provider_for(model("http://x/v1")).answers(body)[1] == counted

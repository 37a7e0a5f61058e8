"""Replies: what is read of them, however a server words them. Reasoning is no answer, but it is paid for."""

import json
import typing

import openai.types.chat.chat_completion as of_openai
import pytest
import together.types.chat.chat_completion as of_together

from ragassay.calls.complete import complete
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.model import Answer, Failure, Request, Usage, provider_for
from ragassay.calls.parsers.result import Abstain
from ragassay.calls.wire.replies import MEANING, answer_in, completion, meaning
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
        ("</think>It is open.", "It is open."),
        ("hm</think> It says <think> and </thinking>.", "It says <think> and </thinking>."),
        ("<think>hm</think>The tag </thinking> closes nothing.", "The tag </thinking> closes nothing."),
        ("<think>It is open. Or is it", ""),
        ("It is <think> a tag </think> that the text is about", "It is <think> a tag </think> that the text is about"),
        ("The tag <think> is never closed", "The tag <think> is never closed"),
        ([{"type": "text", "text": "It is "}, {"type": "text", "text": "open."}], "It is open."),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "It is open."}], "It is open."),
        ([{"type": "thinking", "thinking": "hm"}], ""),
        ([], ""),
    ],
)
def test_reasoning_is_no_part_of_the_answer(content, text):
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
        ({"prompt_tokens": None}, Usage()),
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


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        *((name, "yes", "stop") for name in "eos EOS end_turn STOP tool_calls FINISH_REASON_STOP".split()),
        (None, "yes", "stop"),
        ("MAX_TOKENS", "yes", "length"),
        ("content_filter: SAFETY", "yes", "content_filter"),
        ("abort", "yes", "error"),
        ("sated", "yes", "stop"),
        ("sated", "", "sated"),
    ],
)
def test_what_servers_call_the_end_of_an_answer(name, text, what):
    assert meaning(name, text) == what


def test_all_ends_that_the_clients_list_are_known():
    """Their own types say what a server may answer."""
    listed = set()
    for choice in (of_openai.Choice, of_together.Choice):
        for part in (kind := choice.model_fields["finish_reason"].annotation, *typing.get_args(kind)):
            listed |= {name for name in typing.get_args(part) if isinstance(name, str)}
    assert {"stop", "eos", "length", "content_filter"} <= listed
    assert listed <= MEANING.keys()


@pytest.mark.parametrize(
    "body",
    [
        *("", "<html>a proxy</html>", '{"choices": [{"message": {"con', "[]", "null", "3"),
        *('{"choices": null}', '{"choices": 3}', '{"choices": [null]}'),
        '{"choices": [{"message": null}]}',
        '{"choices": [{"message": {"content": ["parts"]}}]}',
        '{"choices": {"0": {"message": {"content": "yes"}}}}',
        '{"id": "msg", "type": "message", "content": [{"type": "text", "text": "yes"}], "stop_reason": "end_turn"}',
        "[" * 100_000,
        '{"choices": [{"message": {"content": "yes"}}], "deep": ' + "[" * 100_000 + "]" * 100_000 + "}",
    ],
)
def test_a_body_that_is_no_completion_is_a_failure_that_may_have_cost(model, body):
    with pytest.raises(Failure, match=r"the reply is no (whole )?chat completion") as error:
        provider_for(model("http://x/v1")).read(body)
    assert (error.value.again, error.value.lost) == (True, True)


def choice(text="yes", end="stop", **more):
    return {"message": {"content": text}, "finish_reason": end} | more


BLOCKED, LOST = ("blocked", False, "refusal"), ("told", True, "")


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ({"promptFeedback": {"blockReason": "SAFETY"}}, BLOCKED),
        ({"prompt_feedback": {"block_reason": "SAFETY"}, "choices": []}, BLOCKED),
        ({"choices": [choice()], "promptFeedback": {"blockReason": "SAFETY"}}, [("yes", "stop")]),
        ({"error": "gone"}, ("told", False, "")),
        ({"error": "gone", "usage": {"prompt_tokens": 3}}, LOST),
        ({"error": "gone", "choices": [choice()]}, [("yes", "stop")]),
        ({"error": "gone", "choices": [choice(), choice("no", None)]}, LOST),
        ({"error": "gone", "choices": [choice(), choice("no", "error")]}, LOST),
        ({"choices": [choice(error="a"), choice(error="b")]}, LOST),
        ({"choices": [choice(error="a"), choice()]}, [("", "error"), ("yes", "stop")]),
        ({"choices": [{"finish_reason": "SAFETY"}]}, [("", "content_filter")]),
        ({"choices": [{"message": {"refusal": "I cannot."}, "finish_reason": "stop"}]}, [("I cannot.", "stop")]),
        ({"choices": [choice("b", index=1), choice("a", index=0)]}, [("a", "stop"), ("b", "stop")]),
        ([{"choices": [choice()]}], [("yes", "stop")]),
        ([{"choices": [choice()]}] * 2, ("no chat completion", True, "provider_error")),
        ({"choices": [{"finish_reason": "stop"}]}, ("no chat completion", True, "provider_error")),
    ],
)
def test_answers_blocks_and_errors_are_told_apart(reply, outcome):
    def told(error, lost):
        assert error in ("gone", "a")
        return Failure("told", str(error), again=True, lost=lost)

    if isinstance(outcome, list):
        answers, _ = completion(json.dumps(reply), told)
        assert [(answer.text, answer.finish_reason) for answer in answers] == outcome
    else:
        with pytest.raises(Failure) as failure:
            completion(json.dumps(reply), told)
        assert (failure.value.kind, failure.value.lost, failure.value.refused) == outcome


@pytest.mark.parametrize(
    ("body", "kind", "patience"),
    [("", "cut off", 2), ('{"a": 1', "cut off", 2), ("[1, 2", "cut off", 2), ("data: {", "cut off", 2),
     ('{"a": b}', "no JSON", 8), ("none", "no JSON", 8), ("<html>", "web page", 8), ("[]", "no chat completion", 2)],
)  # fmt: skip
def test_a_reply_that_broke_off_is_none_that_never_was_one(body, kind, patience):
    with pytest.raises(Failure) as failure:
        completion(body, None)
    assert (failure.value.kind, failure.value.patience, failure.value.again) == (kind, patience, True)
    assert bool(failure.value.refused) == (kind != "cut off")


def streamed(*events, end="data: [DONE]\n\n"):
    return ": wait\n\n" + "".join(f"data: {json.dumps(event)}\n\n" for event in events) + end


def piece(index, content, finish=None):
    return {"model": "m", "choices": [{"index": index, "delta": {"content": content}, "finish_reason": finish}]}


def test_a_reply_that_was_streamed_unasked_is_put_together(model):
    events = [piece(0, "ye"), piece(1, "no"), piece(0, "s"), piece(0, None, "stop"), piece(1, None, "length")]
    usage = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}
    provider = provider_for(model("http://x/v1"))
    answers = [Answer("yes", "stop"), Answer("no", "length")]
    assert provider.read(streamed(*events, usage)) == (answers, Usage(7, 0, 3, "m"))
    for torn in (streamed(*events, end=""), streamed(*events)[:60], streamed(*events[:4])):
        with pytest.raises(Failure, match="no whole chat completion") as error:
            provider.read(torn)
        assert error.value.again and not error.value.refused
    with pytest.raises(Failure, match="an error from http://x/v1: gone") as error:
        provider.read(streamed(*events[:2], {"error": "gone"}))
    assert error.value.again and error.value.lost


def test_half_a_surrogate_pair_does_not_get_into_a_table(model):
    body = '{"choices": [{"message": {"content": "half \\ud83d, whole \\ud83d\\ude00"}}]}'
    ((answer,), _) = provider_for(model("http://x/v1")).read(body)
    assert answer.text == "half \ufffd, whole \U0001f600"

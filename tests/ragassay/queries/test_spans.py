"""What users asked, from spans in each form in which libraries write them."""

import json

import pytest

from otlp import line_of, message, span
from ragassay.base.errors import Unusable
from ragassay.queries.spans import questions

PARTS = [message("Who?"), message("Ada.", "assistant")]
PLAIN = json.dumps([{"role": "user", "content": "Who?"}])


def asked(*spans):
    """The texts, and the reasons of what is wrong."""
    results = questions(line_of(*spans)["resourceSpans"], set())
    return [item.reason if isinstance(item, Unusable) else item[1] for item in results]


@pytest.mark.parametrize(
    "call",
    [
        span("Who?"),
        span(None, **{"gen_ai.input.messages": PARTS}),  # structured, not JSON
        span(None, **{"gen_ai.input.messages": PLAIN}),
        span(None, events=[("gen_ai.client.inference.operation.details", {"gen_ai.input.messages": PARTS})]),
        span(None, events=[("gen_ai.user.message", {"content": "Who?"})]),
        span(None, events=[("gen_ai.content.prompt", {"gen_ai.prompt": PLAIN})]),
        span(None, **{"gen_ai.prompt": "Who?"}),
        span(None, **{
            "gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "Be brief.",
            "gen_ai.prompt.1.role": "user", "gen_ai.prompt.1.content": "Who?",
        }),
    ],
)  # fmt: skip
def test_the_last_message_of_the_user_is_what_was_asked(call):
    assert asked(call) == ["Who?"]


def test_a_trace_asks_the_same_once_and_other_traces_again():
    pairs = [("Who?", "a"), ("Who?", "a"), ("When?", "a"), ("Who?", "b")]
    assert asked(*(span(text, trace=trace) for text, trace in pairs)) == ["Who?", "When?", "Who?"]


def test_other_spans_are_no_queries():
    other = {"traceId": "c", "name": "GET /", "attributes": [{"key": "http.method", "value": {"stringValue": "GET"}}]}
    assert asked(other, span("Who?", operation="embeddings"), span("Who?", operation="execute_tool")) == []


@pytest.mark.parametrize("messages", ["[]", "[1]", json.dumps([message("Yes?", "assistant")]), [], [message(" ")]])
def test_a_call_without_a_message_of_the_user_says_how_to_record_some(messages):
    [error] = questions(line_of(span(None, **{"gen_ai.input.messages": messages}))["resourceSpans"], set())
    assert error.reason == "no_message" and "CAPTURE_MESSAGE_CONTENT" in str(error)


@pytest.mark.parametrize("damaged", [None, 1, "x", [1], [{"scopeSpans": [{"spans": [{"attributes": [{"key": 1}]}]}]}]])
def test_damaged_spans_are_none(damaged):
    assert list(questions(damaged, set())) == []

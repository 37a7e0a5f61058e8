"""Queries from logs of spans and from models."""

import json

import pytest

from otlp import line_of, message, span
from ragassay.base.errors import Unusable
from ragassay.queries.query_log import questions
from ragassay.queries.synthetic import WrittenQuery, passages_in_turn, written

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


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"question": "Who built it?", "options": ["A man", "A hen"], "answer": "a hen"}, "A hen"),
        ({"question": "Who built it?", "options": ["A man", "A hen"], "answer": "B"}, "A hen"),
        ({"question": "Who built it?", "options": {"a": 1874, "b": 1875}, "answer": "a."}, "1874"),
        ({"question": "Who built it?", "options": ["A man", "A hen"], "answer": "A dog"}, "no_answer"),
        ({"question": "Who built it?", "options": ["A man", "a man"], "answer": "A man"}, "no_options"),
        ({"question": "Who built it?", "options": "A man or a hen", "answer": "A man"}, "no_options"),
        ({"question": "He built it.", "options": ["A man", "A hen"], "answer": "A hen"}, "no_question"),
        ({"question": None, "options": ["A man", "A hen"], "answer": "A hen"}, "no_question"),
        ({"question": "Who built it?", "answer": "A hen"}, "no_object"),
    ],
)
def test_a_query_is_a_question_with_its_answer_among_the_options(answer, expected):
    found = written(json.dumps(answer), "stop")
    assert (found.answer if isinstance(found, WrittenQuery) else found.reason) == expected


CASE = " ".join(["A man comes to the clinic."] * 20) + " Which drug helps"


@pytest.mark.parametrize(
    ("question", "examples", "is_kept"),
    [
        (f"{CASE}?", [], False),
        (f"{CASE}?", [f"{CASE} most? A: none"], True),
        (f"{CASE} him, and why?", [f"{CASE}?"], False),
        ("The drug that helps is", [], False),
        ("The drug that helps is", ["Which drug? A"], False),
        ("The drug that helps is", ["Which drug? A", "The nerve is: A"], True),
    ],
)
def test_what_is_written_is_as_long_as_the_examples_and_ends_as_they_do(question, examples, is_kept):
    answer = json.dumps({"question": question, "options": ["A man", "A hen"], "answer": "A hen"})
    result = written(answer, "stop", examples)
    assert isinstance(result, WrittenQuery) == is_kept
    assert is_kept or "expected a question of 3 to" in result.detail


PASSAGES = [{"passage_id": f"{name}#{number}", "document_id": name} for name in "ab" for number in (1, 2)]


def test_documents_take_turns():
    chosen = passages_in_turn(PASSAGES, 3)
    assert len({row["document_id"] for row in chosen[:2]}) == 2 and len({row["passage_id"] for row in chosen}) == 3
    assert passages_in_turn(PASSAGES[::-1], 3) == chosen and len(passages_in_turn(PASSAGES, 9)) == 4

"""Replies that are not what they should be, as servers, gateways and proxies send them: errors and refusals inside a
status 200, other shapes, streams that nobody asked for, counts that are none; and refusals by other statuses.

Each function gets the reply as it should be and gives what is sent in its place: a body, or (status, headers, body).
"""

import json

FLAGGED = {"reasons": ["violence"], "flagged_input": "Is the harbour ...", "provider_name": "Loopback"}
MODERATED = "The chosen model requires moderation of its input. Your input was flagged."


def _error(code, words, **more):
    return {"error": {"code": code, "message": words, **more}}


def _broken(reply, finish, **more):
    """Every choice breaks off in the middle."""
    for choice in reply["choices"]:
        text = choice["message"]["content"]
        choice |= {"message": {"role": "assistant", "content": text[: len(text) // 2]}, "finish_reason": finish, **more}
    return reply


def _with(reply, **more):
    return reply | more


def _without(reply, name):
    return {key: value for key, value in reply.items() if key != name}


def _counting(count):
    """A body whose counts of tokens are this text."""
    return lambda reply: json.dumps(_with(reply, usage=None)).replace(
        '"usage": null', '"usage": {"prompt_tokens": %s, "completion_tokens": %s, "total_tokens": %s}' % ((count,) * 3)
    )


def _choices(**more):
    return lambda reply: _with(reply, choices=[choice | more for choice in reply["choices"]])


def _stream(reply, last="stop", error=None):
    pieces = []
    for choice in reply["choices"]:
        text = choice["message"]["content"]
        deltas = [(text[:4], None), (text[4:8] if error else text[4:], None if error else last)]
        for delta, finish in deltas:
            piece = {"index": choice["index"], "delta": {"content": delta}, "finish_reason": finish}
            pieces.append({"model": reply["model"], "choices": [piece]})
    pieces += [error] if error else []
    return "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n"


def _native(reply):
    """Anthropic's own shape."""
    text = {"type": "text", "text": "The answer is: yes."}
    own = {"id": "msg_1", "type": "message", "role": "assistant", "content": [text], "stop_reason": "end_turn"}
    return own | {"usage": {"input_tokens": 9, "output_tokens": 5}}


def _refused(status, words, **more):
    return lambda reply: (status, {}, {"error": {"message": words, "type": "invalid_request_error", **more}})


# --- what one reply in many may be, and passes ----------------------------------------------------------------------
PASSING = {
    "error_429": lambda reply: _error(429, "Rate limit exceeded: try again.", metadata={"retry_after_seconds": 0.05}),
    "error_502": lambda reply: _error(502, "Provider returned error"),
    "error_named": lambda reply: {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    "error_unnamed": lambda reply: _error("weird", "something happened"),
    "choice_error": lambda reply: _broken(reply, "error", error={"code": 502, "message": "Upstream error"}),
    "broken_off": lambda reply: _broken(reply, "abort"),
    "stream_error": lambda reply: _stream(reply, error=_error(502, "Upstream error")),
    "stream_without_end": lambda reply: _stream(reply, last=None),
}
# --- what is no fault of the answer ---------------------------------------------------------------------------------
READABLE = {
    "stream": _stream,
    "bom": lambda reply: "\ufeff" + json.dumps(reply),
    "null_index": _choices(index=None),
    "line_ends": lambda reply: json.dumps(_with(reply, note="a|b")).replace("a|b", "a\n\tb"),
    "steering": lambda reply: _with(reply, model="loop\x1b[2Jback\x00"),
    "in_a_list": lambda reply: [reply],
    "null_error": lambda reply: _with(reply, error=None, warning="none"),
    "infinite_usage": _counting("1e999"),
    "nan_usage": _counting("NaN"),
    "absurd_usage": _counting(str(10**30)),
    "long_usage": _counting("9" * 5000),
    "worded_usage": lambda reply: _with(reply, usage="many"),
    "long_head": lambda reply: (200, {"x-trace": "x" * 20_000}, reply),
}
# --- refusals of one prompt -----------------------------------------------------------------------------------------
REFUSALS = {
    "moderated": lambda reply: (403, {}, _error(403, "Your input was not accepted", metadata=FLAGGED)),
    "moderated_in_200": lambda reply: _error(403, MODERATED, metadata=FLAGGED),
    "refused_in_200": lambda reply: _error(400, "The prompt was refused by our content policy."),
    "refused_in_words": lambda reply: {"error": "content policy violation"},
    "blocked": lambda reply: {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {}},
    "without_choices": lambda reply: _without(reply, "choices"),
    "null_choices": lambda reply: _with(reply, choices=None),
    "empty_choices": lambda reply: _with(reply, choices=[]),
    "filtered_choice": lambda reply: _with(reply, choices=[{"index": 0, "finish_reason": "content_filter: SAFETY"}]),
    "native": _native,
    "deep": lambda reply: '{"choices": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "always_broken": lambda reply: _broken(reply, "malformed_function_call"),
    "page": lambda reply: (200, {}, "<html><body>Request blocked</body></html>"),
    "decoder_prompt": _refused(400, "The decoder prompt (length 9000) is longer than the model's length of 8192."),
    "no_room": _refused(400, "max_tokens must be at least 1, got -904."),
}
# --- refusals of every request --------------------------------------------------------------------------------------
HOPELESS = {
    "wrong_key": _refused(400, "API key not valid. Please pass a valid API key."),
    "wrong_key_in_200": lambda reply: _error(401, "No auth credentials found"),
    "no_credit": _refused(400, "Your credit balance is too low to access the API."),
    "no_credit_in_200": lambda reply: _error(402, "Insufficient credits."),
    "unknown_setting": _refused(400, "Unrecognized request argument supplied: some_option"),
    "odd_refusal": _refused(400, "This organization is paused."),
    "wrong_method": lambda reply: (405, {}, {"detail": "Method Not Allowed"}),
    "moved": lambda reply: (301, {"location": "/elsewhere"}, ""),
    "other_protocol": _native,
}
SPOILT = PASSING | READABLE | REFUSALS | HOPELESS


def spoilt(name: str, reply: dict) -> tuple[int, dict, bytes]:
    """Status, headers and body of what is sent in place of a reply."""
    made = SPOILT[name](reply)
    status, headers, body = made if isinstance(made, tuple) else (200, {}, made)
    return status, headers, (body if isinstance(body, str) else json.dumps(body)).encode()

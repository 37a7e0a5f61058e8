"""Spans as an exporter of OpenTelemetry writes them into a file, a JSON object a line."""

import itertools
import json

TRACES = itertools.count(1)


def typed(value):
    """A value as OTLP has it."""
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(item) for item in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": attributes(value)}}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def attributes(values):
    return [{"key": key, "value": typed(value)} for key, value in values.items()]


def message(text, role="user"):
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def span(text, seconds=1_793_000_000, operation="chat", trace=None, events=(), **more):
    """A span of a call; with a text, a conversation whose last message of the user it is."""
    values = {"gen_ai.operation.name": operation, "gen_ai.request.model": "gpt-4o-mini"} | more
    if text is not None:
        conversation = [message("Hello."), message("Yes?", "assistant"), message(text), message("Wait.", "assistant")]
        values["gen_ai.input.messages"] = json.dumps(conversation)
    nanoseconds = f"{seconds}{'0' * 9}" if isinstance(seconds, int) else seconds
    happened = [{"name": name, "attributes": attributes(held)} for name, held in events]
    described = {"traceId": trace or f"{next(TRACES):032x}", "name": f"{operation} gpt-4o-mini", "events": happened}
    return described | {"startTimeUnixNano": nanoseconds, "attributes": attributes(values)}


def line_of(*spans):
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}]}

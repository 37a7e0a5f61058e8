"""A reply that came as a stream of events although nobody asked for one, put together to the reply that it stands for.

Each event is a line `data: {...}` with the next pieces of the choices; the last one is `data: [DONE]`. A stream that
breaks off may say so in an event with an error, or not at all: then a choice has no finish reason.
"""

import json

leniently = json.JSONDecoder(strict=False).decode
STARTS = ("data:", "event:", ":")  # the last one is a comment, sent to keep the connection open


def is_streamed(body: str) -> bool:
    return body.lstrip().startswith(STARTS)


def parsed(text: str):
    """The value of a JSON text, also where line ends stand unescaped in it or a number has thousands of digits."""
    try:
        return leniently(text)
    except ValueError as error:
        if isinstance(error, json.JSONDecodeError):
            raise
        return json.loads(text, strict=False, parse_int=float)


def whole(body: str) -> dict:
    """The whole reply, or its error; ValueError if the stream broke off."""
    lines = [line.removeprefix("data:").strip() for line in body.splitlines() if line.startswith("data:")]
    events = [parsed(line) for line in lines if line != "[DONE]"]
    reply, choices = {}, {}
    for event in events:
        if event.get("error"):
            return {"error": event["error"], "usage": event.get("usage") or choices}
        reply |= {name: value for name, value in event.items() if value is not None}  # usage comes with the last one
        for piece in event.get("choices") or []:
            index, delta = piece.get("index") or 0, piece.get("delta") or {}
            choice = choices.setdefault(index, {"index": index, "message": {"content": ""}, "finish_reason": None})
            choice["message"]["content"] += delta.get("content") or ""
            choice["finish_reason"] = piece.get("finish_reason") or choice["finish_reason"]
            choice["error"] = piece.get("error")
    if lines[-1:] != ["[DONE]"] or not all(choice["finish_reason"] for choice in choices.values()):
        raise ValueError("the stream broke off")
    return reply | {"choices": list(choices.values())}

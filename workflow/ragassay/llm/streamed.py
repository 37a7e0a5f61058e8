"""A reply that came as a stream of events although nobody asked for one, put together to the reply that it stands for.

Each event is a line `data: {...}` with the next pieces of the choices; the last one is `data: [DONE]`.
"""

import json

STARTS = ("data:", "event:", ":")  # the last one is a comment, sent to keep the connection open


def is_streamed(body: str) -> bool:
    return body.lstrip().startswith(STARTS)


def whole(body: str) -> dict:
    """The whole reply; ValueError if the stream broke off."""
    lines = [line.removeprefix("data:").strip() for line in body.splitlines() if line.startswith("data:")]
    if lines[-1:] != ["[DONE]"]:
        raise ValueError("the stream broke off")
    reply, choices = {}, {}
    for event in map(json.loads, lines[:-1]):
        reply |= {name: value for name, value in event.items() if value is not None}  # usage comes with the last one
        for piece in event.get("choices") or []:
            index, delta = piece.get("index", 0), piece.get("delta") or {}
            choice = choices.setdefault(index, {"index": index, "message": {"content": ""}, "finish_reason": None})
            choice["message"]["content"] += delta.get("content") or ""
            choice["finish_reason"] = piece.get("finish_reason") or choice["finish_reason"]
    return reply | {"choices": list(choices.values())}

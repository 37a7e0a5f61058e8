"""Ways in which a file that was copied, cut, edited or swapped is damaged: fields of JSON, arrays, and bytes."""

import copy
import json
import math

import numpy as np

GONE = object()
OPTIONAL = "head", "units", "reader", "files", "links", "doublings"  # fields that some cards have and others lack
BYTES = {
    "empty": lambda content, other: b"",
    "half": lambda content, other: content[: len(content) // 2],
    "one byte less": lambda content, other: content[:-1],
    "one byte more": lambda content, other: content + b"\0",
    "another file": lambda content, other: other,
    "twice": lambda content, other: content + content,
    "begins otherwise": lambda content, other: _flipped(content, 0),
    "a bit of its head": lambda content, other: _flipped(content, min(9, len(content) - 1)),
    "a bit of its middle": lambda content, other: _flipped(content, len(content) // 2),
    "a bit of its end": lambda content, other: _flipped(content, len(content) - 2),
    "no text": lambda content, other: b"\xff\xfe" + content,
    "deep": lambda content, other: b"[" * 200_000,
}
ARRAYS = {
    "nan": lambda values: _with(values, math.nan),
    "inf": lambda values: _with(values, math.inf),
    "minus inf": lambda values: _with(values, -math.inf),
    "negative": lambda values: _with(values, -2e9),
    "huge": lambda values: _with(values, 4e18),
    "reversed": lambda values: values[::-1].copy() if values.ndim else values + 1,
    "shorter": lambda values: values[:-1].copy() if values.ndim else np.empty(0, values.dtype),
    "longer": lambda values: np.concatenate([values, values]) if values.ndim else np.stack([values, values]),
    "none": lambda values: np.empty((0, *values.shape[1:]), values.dtype),
    "flat": lambda values: values.reshape(-1, 1) if values.ndim < 2 else values.reshape(-1),
    "deeper": lambda values: values[None],
    "other numbers": lambda values: values.astype(np.float16 if values.dtype.kind == "f" else np.int8),
    "truths": lambda values: values.astype(bool),
}


def _flipped(content, at):
    changed = bytearray(content)
    changed[at] ^= 1
    return bytes(changed)


def _with(values, number):
    """One number changed in the middle; where it cannot stand in this kind of numbers, the kind is another."""
    holds = values.dtype.kind == "f" or (math.isfinite(number) and np.iinfo(values.dtype).min <= number)
    changed = values.copy() if holds and number < 1e18 else values.astype(np.float64)
    if changed.size:
        changed.reshape(-1)[changed.size // 2] = number
    return changed


def places(value, path=()):
    """Where values stand in JSON; of a long list the first, a middle and the last one."""
    if path:
        yield path
    keys = list(value) if isinstance(value, dict) else []
    if isinstance(value, list) and value:
        keys = sorted({0, len(value) // 2, len(value) - 1})
    for key in keys:
        yield from places(value[key], (*path, key))


def fields(value) -> dict:
    """name -> what a value of JSON may be damaged into."""
    found = {"missing": GONE, "null": None, "nan": math.nan, "inf": math.inf, "deep": [[[[]]]], "nothing": {}}
    if isinstance(value, bool):
        return found | {"text": "yes", "number": 2}
    if isinstance(value, int | float):
        found |= {"text": str(value), "negative": -abs(value) - 3, "huge": 1e308, "list": [value], "true": True}
        return found | {"endless": 10**30}
    if isinstance(value, str):
        return found | {"number": 3, "empty": "", "unknown": "../" + value[::-1] + "?", "list": [value], "nul": "\0"}
    if isinstance(value, list):
        found |= {"text": "many", "empty": [], "reversed": value[::-1], "shorter": value[:-1], "longer": value * 2}
        return found | {"strange": [*value[:1], "strange"], "endless": (value or [1]) * 3000}
    if isinstance(value, dict):
        odd = {"null": None, "number": 5, "list": [1], "number inside": {"outer.weight": 5}}
        more = {f"more with {name}": {**dict.fromkeys(OPTIONAL, part), **value} for name, part in odd.items()}
        return found | {"list": list(value.values()), "strange": {**value, "strange": 1}} | more
    return found | {"text": "something", "number": 7}


def changed(content: dict, path: tuple, value) -> dict:
    """A copy with another value at a place."""
    result = copy.deepcopy(content)
    inside = result
    for key in path[:-1]:
        inside = inside[key]
    if value is GONE:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return result


def is_same(first, second) -> bool:
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)

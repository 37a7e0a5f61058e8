"""Inputs that nobody foresaw, the same ones for a seed: texts that grow from a grammar, values of JSON that lose their
form, and bytes that are flipped, cut, doubled, and spliced with what has stopped programs before."""

import copy
import json
import random
import re
from collections.abc import Callable

DEEP = 3_000  # levels, more than Python takes
MOST = 200_000  # bytes of an input
TOKENS = [
    b"1e999", b"-1", b"9" * 400, b"9" * 5_000, b"NaN", b"-Infinity", b"null", b"true", b"\\ud800", b"\\u0000", b"\0",
    b"\x1b[2J\x1b]0;a\x07", "\u202e".encode(), "\ufeff".encode(), b"\xff\xfe", b"\xed\xa0\x80", "\U000e0041".encode(),
    b"[" * DEEP, b'{"a":' * DEEP, b"<a>" * DEEP, b"(" * DEEP, b"&#55357;", b"&a;", b"<![CDATA[", b"]]>", b"<!--",
    b'<!DOCTYPE a [<!ENTITY a "b">]>', b"%2F..%2f", b"//", b"http://[]@", b"http://[::1", b"javascript:", b"\r",
    b"\n\n",
    b"0001-01-01T00:00:00+14:00", b"9999-12-31T23:59:59-14:00", b"2026-02-30", b"=1+1", b'"', b"'", b",,,,", b"\t",
    b"data: ", b"data: [DONE]", b": ", b"*a", b"&a ", b"!!python/object:os.system", b"---", b"<think>", b"</think>",
    "\u0661\u0662".encode(), "e\u0301\ufb01".encode(), b"a" * 70_000, b" " * 5_000, b"/../../", b"C:\\", b"-0.0",
    b"{x}",
]  # fmt: skip
REFERENCE = re.compile(r"<<(\w+)>>")
STRANGE = [
    None, True, -1, 0, 1e308, 10**400, float("nan"), float("inf"), "", "\ud800", "\0", "\x1b[2J", "\u202e", "1e999", [],
    {}, [[]], {"": {}}, "0001-01-01", "=1+1", "a" * 70_000, [1] * 1_000, "../../x", "http://[]@", 0.5, ["a", None, 1],
]  # fmt: skip


def grown(draw: random.Random, grammar: dict[str, list[str]], name: str = "start", depth: int = 0) -> str:
    """A text of a grammar: an alternative of the name, in which each <<name>> grows in turn. Behind twelve levels each
    is its first alternative, which refers to nothing.
    """
    choice = grammar[name][0] if depth > 12 else draw.choice(grammar[name])
    return REFERENCE.sub(lambda match: grown(draw, grammar, match[1], depth + 1), choice)


def changed_value(draw: random.Random, value):
    """A value of JSON in which one to three parts are others, missing, doubled, deep, or in another place."""
    value = json.loads(json.dumps(value))
    for _ in range(draw.randint(1, 3)):
        places = [*_places(value, ())]
        if not places:
            return copy.deepcopy(draw.choice(STRANGE))
        holder, key = draw.choice(places)
        match draw.randrange(6):
            case 0:
                del holder[key]
            case 1:
                other, name = draw.choice(places)
                holder[key] = json.loads(json.dumps(other[name])) if _has(other, name) else None
            case 2:
                holder[key] = [holder[key]] * draw.choice([1, 2, 50])
            case 3:
                for _ in range(draw.choice([1, 90])):
                    holder[key] = draw.choice([[holder[key]], {"a": holder[key]}])
            case _:
                holder[key] = copy.deepcopy(draw.choice(STRANGE))
    return value


def _places(value, path):
    keys = list(value) if isinstance(value, dict) else range(min(len(value), 40)) if isinstance(value, list) else []
    for key in keys:
        yield value, key
        if len(path) < 20:
            yield from _places(value[key], (*path, key))


def _has(holder, key):
    return key in holder if isinstance(holder, dict) else key < len(holder)


def changed_bytes(draw: random.Random, content: bytes, other: bytes) -> bytes:
    """The content after one to four small accidents; `other` is another input, to be spliced with."""
    for _ in range(draw.randint(1, 4)):
        at, end = sorted(draw.randint(0, len(content)) for _ in range(2))
        end = min(end, at + draw.choice([1, 8, 400]))
        content = draw.choice(WAYS)(draw, content, at, end, other)[:MOST]
    return content


WAYS: list[Callable] = [
    lambda draw, content, at, end, other: content[:at] + bytes([draw.randrange(256)]) + content[at + 1 :],
    lambda draw, content, at, end, other: content[:at] + content[end:],
    lambda draw, content, at, end, other: content[:at] + content[at:end] * draw.choice([2, 50]) + content[end:],
    lambda draw, content, at, end, other: content[:at] + draw.choice(TOKENS) + content[at:],
    lambda draw, content, at, end, other: content[:at] + draw.choice(TOKENS) + content[end:],
    lambda draw, content, at, end, other: content[:at],
    lambda draw, content, at, end, other: content[:at] + other[at:],
]

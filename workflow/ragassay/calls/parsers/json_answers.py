"""Read the one JSON object that a model's answer holds, whatever text, code fence or list is around it. Forms that
can be read in one way only are taken: trailing commas, single quotes, bare keys, True and None, raw line breaks.
Where several objects, or a key given twice, disagree, or an object breaks off, the parser abstains. Time grows with
the text and no further."""

import json
import math
import re

from ragassay.calls.parsers.result import Abstain, Ok, answer_part, refuses, total
from ragassay.text.characters import fit, replaced

DEEPEST = 16  # objects and lists in one another
SPACE = re.compile(r"[\s\ufeff\u200b]*+")
KEY = re.compile(r"[A-Za-z_][\w-]{0,63}")
NUMBER = re.compile(r"[-+]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,4})?(?![\w.])")
WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
WORD = re.compile(rf"(?:{'|'.join(WORDS)})\b")
CLOSING = {'"': '"', "'": "'", "\u201c": "\u201d"}
INSIDE = {'"': re.compile(r'[^"\\]*+'), "'": re.compile(r"[^'\\]*+"), "\u201d": re.compile("[^\u201d\\\\]*+")}
BEHIND_STRING = re.compile(r"[\s\ufeff\u200b]*+(?:[,:}\]]|\Z)")
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}
UNICODE = re.compile(r"u([0-9a-fA-F]{4})")


class _Broken(Exception):
    """No object can be read here; the message is the reason to abstain."""


@total
def parse_object(text: str | None, finish_reason: str = "stop", keys: tuple[str, ...] = ()) -> Ok | Abstain:
    """`Ok` with a dict that has at least these keys. Their values are not judged: that is the stage's task."""
    answer = answer_part(text, finish_reason)
    if isinstance(answer, Abstain):
        return answer
    cut = finish_reason == "length"
    try:
        objects = _Reader(answer).objects(keys)
    except _Broken as broken:
        return Abstain(str(broken))
    if not objects:
        return Abstain("truncated" if cut else "refusal" if refuses(answer) else "no_object")
    if len({json.dumps(value, sort_keys=True) for value in objects}) > 1:
        return Abstain("two_objects")
    return Ok(objects[0], truncated=cut)


class _Reader:
    """A text and how far it has been read."""

    def __init__(self, text):
        self.text = text
        self.place = 0

    def objects(self, keys):
        """All outermost objects with these keys."""
        outermost = []
        while True:
            self.place = self.text.find("{", self.place)
            if self.place < 0:
                return outermost
            if not self._begins():
                self.place += 1
                continue
            value = self._object(1)
            if value.keys() >= set(keys):
                outermost.append(value)

    def _begins(self):
        """Whether an object starts at this brace, and not a remark in braces. Leaves the place as it is."""
        start = self.place
        self.place += 1
        try:
            if self._next() == "}":
                return True
            self._key()
            return self._next() == ":"
        except _Broken as broken:
            return str(broken) == "truncated"
        finally:
            self.place = start

    def _object(self, depth):
        pairs = {}
        for _ in self._members("}"):
            key = self._key()
            self._take(":")
            value = self._value(depth)
            if key in pairs and json.dumps(pairs[key]) != json.dumps(value):
                raise _Broken("two_objects")
            pairs[key] = value
        return pairs

    def _members(self, close):
        """Go on once before each member of an object or a list, up to the bracket that ends it."""
        self.place += 1
        while self._next() != close:
            yield
            if self._next() != close:
                self._take(",")
        self.place += 1

    def _value(self, depth):
        first = self._next()
        if first in ("{", "["):
            if depth == DEEPEST:
                raise _Broken("broken_object")
            return self._object(depth + 1) if first == "{" else [self._value(depth + 1) for _ in self._members("]")]
        if first in CLOSING:
            return self._string()
        number = NUMBER.match(self.text, self.place)
        if number:
            self._to(number.end())
            return _number(number[0])
        word = WORD.match(self.text, self.place)
        if word:
            self.place = word.end()
            return WORDS[word[0]]
        rest = self.text[self.place : self.place + 40]
        raise _Broken("truncated" if len(rest) < 40 and re.fullmatch(r"[-+.\w]+", rest) else "broken_object")

    def _key(self):
        if self._next() in CLOSING:
            return self._string()
        bare = KEY.match(self.text, self.place)
        if not bare:
            raise _Broken("broken_object")
        self._to(bare.end())
        return bare[0]

    def _string(self):
        close = CLOSING[self.text[self.place]]
        self.place += 1
        parts = []
        while True:
            inside = INSIDE[close].match(self.text, self.place)
            parts.append(inside[0])
            self._to(inside.end())
            if self.text[self.place] == "\\":
                parts.append(self._escaped())
            elif close == "'" and not BEHIND_STRING.match(self.text, self.place + 1):
                parts.append("'")
                self.place += 1
            else:
                self.place += 1
                return fit(replaced("".join(parts)))

    def _escaped(self):
        self._to(self.place + 1)
        code = UNICODE.match(self.text, self.place)
        if code:
            self._to(code.end())
            return chr(int(code[1], 16))
        letter = self.text[self.place]
        self._to(self.place + 1)
        return ESCAPED.get(letter, letter)

    def _next(self):
        """The next character that is no white space."""
        self._to(SPACE.match(self.text, self.place).end())
        return self.text[self.place]

    def _take(self, character):
        if self._next() != character:
            raise _Broken("broken_object")
        self.place += 1

    def _to(self, place):
        """Read on up to here; there is more to come, or the object is not whole."""
        if place >= len(self.text):
            raise _Broken("truncated")
        self.place = place


def _number(text):
    if re.fullmatch(r"[-+]?\d+", text):
        return int(text)
    value = float(text)
    if not math.isfinite(value):
        raise _Broken("broken_object")
    return value

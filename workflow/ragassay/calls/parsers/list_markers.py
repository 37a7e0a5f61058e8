"""Recognise what can mark an item of a list, line by line; numbered_lists decides whether it does. Markers are looked
for in a copy of the line in which full-width forms are ASCII; it has the same length, so that positions are those of
the line and the text of items stays as the model wrote it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ragassay.calls.parsers.result import SEEN, UNSEEN

NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0x2013: "-", 0x2014: "-"}
NUMBER = r"\d{1,3}(?!\d)"  # no list here has a thousand items, and years have four digits
NOUN = r"(?:[^\W\d_]{1,20}\ ){0,2}(?:claim|question|fact|item|statement|point|query|answer|sentence|number|q)\ ?\#?"
SHAPE = rf"""(?:
    [(\[]\s?(?P<bracket>{NUMBER})\s?[)\]][.:]?
    |\#(?P<hash>{NUMBER})(?:[.:)]|(?=\s))
    |{NOUN}(?P<noun>{NUMBER})(?:[.:)](?!\d)|\s?-(?=\s)|(?=[*_]*\s*\Z))
    |(?P<bold_number>(?<=\*\*){NUMBER}(?=\*\*\s))
    |(?P<plain>{NUMBER})(?:\*\*)?(?P<close>\s?\)|[.:](?![\d.])\)?|、|\s?-(?=\s+[^\s\d])|\t|\ufe0f?\u20e3)
    |(?P<circled>[\u2460-\u2473])
    )(?(bold)(?:\*\*|__|[*_])?)"""
NUMBERED = re.compile(
    rf"(?P<indent>[\s>{UNSEEN}]*+)(?:\#{{1,6}}\s+)?(?:[-*+•]\s+)?(?P<bold>\*\*|__|[*_](?![*_\s]))?{SHAPE}",
    re.VERBOSE | re.IGNORECASE,
)
INSIDE = re.compile(rf"(?<=\s)(?P<bold>\*\*|__)?{SHAPE}(?=\s+\S)", re.VERBOSE | re.IGNORECASE)
BULLET = re.compile(rf"(?P<indent>[\s>{UNSEEN}]*+)(?P<mark>[-*+](?=\s)|[•●◦▪‣])\s*(?=\S)")
MERGED_BULLETS = re.compile(r"(?<=\S)\s+(?=[•●▪‣]\s)")
NO_TEXT = re.compile(r"\s*+(?:(?:```|~~~)\s*+\w*+\s*+|[-*_=][-*_=\s]{2,})")  # a fence or a rule
CAN_BE_NUMBERED = re.compile(r"[\d\u2460-\u2473]")


@dataclass(slots=True)
class Line:
    """One line, or the part of a line from an inner marker on."""

    line: str
    text: str = ""  # without the marker
    indent: int = 0
    number: int | None = None
    style: str = ""  # of the number
    bullet: str = ""

    @property
    def blank(self):
        return not self.line


BLANK = Line("")


@dataclass(slots=True)
class Inner:
    """A marker inside a line."""

    start: int
    end: int
    number: int
    style: str
    bold: str


def rows(text: str, most: int) -> list[Line]:
    """At most so many."""
    in_order = []
    for line in islice(text.splitlines(), most):
        bullet = BULLET.match(line)
        if bullet and bullet["mark"] in "•●▪‣":
            in_order += map(_row, islice(MERGED_BULLETS.split(line), most))
        else:
            in_order.append(_row(line))
    return in_order[:most]


def inner_markers(text: str) -> Iterator[Inner]:
    if CAN_BE_NUMBERED.search(text):
        for match in INSIDE.finditer(text.translate(NARROW)):
            yield Inner(match.start(), match.end(), *_number(match), _still_bold(match))


def without_bold(text: str, opened: str = "") -> str:
    """The text without the emphasis around all of it, and without the end of what was opened before its number."""
    text = text.strip()
    if opened:
        text = text.replace(opened, "", 1)
    for mark in ("**", "__"):
        if text.startswith(mark) and text.endswith(mark) and text.count(mark) == 2:
            text = text[2:-2]
    return text.strip()


def _row(line):
    stripped = line.strip()
    if not SEEN.search(stripped) or NO_TEXT.fullmatch(stripped):
        return BLANK
    match = CAN_BE_NUMBERED.search(line) and NUMBERED.match(line.translate(NARROW))
    if match:
        number, style = _number(match)
        text = without_bold(line[match.end() :], _still_bold(match))
        return Line(stripped, text, _width(match["indent"]), number, style)
    bullet = BULLET.match(line)
    if bullet:
        return Line(stripped, line[bullet.end() :].strip(), _width(bullet["indent"]), bullet=bullet["mark"])
    return Line(stripped, stripped, _width(line[: len(line) - len(line.lstrip())]))


def _still_bold(match):
    """The emphasis that was opened before the number and not closed behind it."""
    bold = match["bold"] or ""
    return "" if bold in match.string[match.end("bold") : match.end()] else bold


def _width(indent):
    return len(indent.replace(">", "").expandtabs(4))


def _number(match):
    if match["circled"]:
        return ord(match["circled"]) - 0x245F, "circled"
    style = next(name for name in ("bracket", "hash", "noun", "bold_number", "plain") if match[name])
    return int(match[style]), (match["close"].strip() or "\t") if style == "plain" else style

"""How text is made fit for a terminal, a log or a table. A server may give a key back in an error or an answer: every
key that a provider uses is remembered here, and what comes from outside passes through `masked` before it is written
anywhere. Keys of fewer than 8 characters keep nobody out and may be words of an answer, so they are left alone."""

import os
import re
import reprlib

CONSOLE = "RAGASSAY_CONSOLE"  # set for the jobs of a run that shows a line for each: BAR or LINES
BAR, LINES = "bar", "lines"  # whether a bar stands below the lines
WIPE = "\r\033[K"  # takes a bar away
SHORTEST = 8
MASK = "[key]"
ESCAPED = '"\\/'  # what JSON may write behind a backslash
_patterns = {}  # key -> the forms that it may take in JSON, and what a text must hold for any but the plain one
_BOUNDED = reprlib.Repr()
_BOUNDED.maxlevel, _BOUNDED.maxstring, _BOUNDED.maxother = 3, 80, 80


def remember(key: str) -> None:
    if len(key) >= SHORTEST and key not in _patterns:
        signs = ["\\u00", *(f"\\{character}" for character in ESCAPED if character in key)]
        _patterns[key] = re.compile("".join(map(_in_json, key))), signs


def masked(text: str) -> str:
    """The text without any remembered key, also where JSON escapes some of its characters."""
    for key, (in_json, signs) in _patterns.items():
        if key in text:
            text = text.replace(key, MASK)
        if "\\" in text and any(sign in text for sign in signs):
            text = in_json.sub(MASK, text)
    return text


def _in_json(character):
    """A character as it is, as a code, or behind a backslash."""
    forms = [re.escape(character), rf"\\+(?i:u00{ord(character):02x})"]
    if character in ESCAPED:
        forms.insert(0, rf"\\+{re.escape(character)}")
    return f"(?:{'|'.join(forms)})"


def shown(value, letters: int = 80) -> str:
    """The beginning of what Python writes for a value; never writes out all of a large one first."""
    return _BOUNDED.repr(value)[:letters]


def printable(text: str) -> str:
    """A text from outside as logs, terminals and tables show it: what could steer a terminal is written out."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign == "\n" else ascii(sign)[1:-1] for sign in text)


def clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"


def job_name(rule: str, wildcards: dict) -> str:
    """A job as its lines name it."""
    keys = ", ".join(f"{key}={value}" for key, value in wildcards.items())
    return f"{rule} ({keys})" if keys else rule


def wiped() -> str:
    """What a line on standard error begins with, so that a bar of this run does not stand in it."""
    return WIPE if os.environ.get(CONSOLE) == BAR else ""


def aligned(lines: list[list[str]], left: int) -> str:
    """Cells in columns, the first `left` of them flush left, the others right; an empty line before."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    put = [str.ljust] * left + [str.rjust] * (len(widths) - left)
    rows = ("  ".join(side(cell, width) for side, cell, width in zip(put, line, widths, strict=True)) for line in lines)
    return "\n".join(["", *(row.rstrip() for row in rows), ""])

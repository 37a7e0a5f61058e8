"""Halves of surrogate pairs. JSON can spell them, but they are no characters: no UTF-8 file or page can hold one."""

import re

SURROGATE = re.compile("[\ud800-\udfff]")


def replaced(text: str) -> str:
    """The same text with U+FFFD in place of each half; two halves that fit become their character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def refusal(text: str) -> str:
    """Why text with a half is refused; empty if there is none."""
    half = SURROGATE.search(text)
    return f"found U+{ord(half[0]):04X}, half of a character; expected whole ones: type it again" if half else ""

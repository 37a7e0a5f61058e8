"""Keys of models: what holds one is masked before it is written to a ledger, a table, a log or the terminal.

A server may give a key back in an error, a header or an answer. Every key that a provider uses is remembered here, and
whatever comes from outside passes through `masked`. Keys of fewer than 8 characters keep nobody out and may be words
of an answer, so they are left alone.
"""

import re

SHORTEST = 8
MASK = "[key]"
ESCAPED = '"\\/'  # what JSON may write behind a backslash
_patterns = {}  # key -> the forms that it may take in JSON, and what a text must hold for any but the plain one


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

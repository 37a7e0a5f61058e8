"""A text as an encoder's tokenizer reads it: without what nobody sees, and with each letter in its plainest form.

Whoever plants a text can put an invisible character into each of its words, or an accent on each of its letters. Its
vector stays where it was, and its words are others for whatever counts words. So all that scores a passage reads it
through `visible`. Letters of another script that only look the same, such as Cyrillic ones, stay what they are.
"""

import unicodedata

SPACES = "\t\n\r"
DROPPED = "\ufffd\u1734"  # which tokenizers drop, too


def visible(text: str) -> str:
    """Printable ASCII stays as it is."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(filter(_is_seen, unicodedata.normalize("NFKD", text)))


def _is_seen(letter):
    kind = unicodedata.category(letter)
    return letter in SPACES or not (kind == "Mn" or kind.startswith("C") or letter in DROPPED)

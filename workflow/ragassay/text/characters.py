"""Characters that nobody sees, and halves of characters. An invisible character in each word, or accents on its
letters, leaves a vector where it was and changes the words for whatever counts them; so all that scores a passage
reads it through `visible`. Halves of surrogate pairs, which JSON can spell, fit into no UTF-8 file."""

import re
import unicodedata

SPACES = "\t\n\r"
DROPPED = "\ufffd\u1734"  # which tokenizers drop, too
SURROGATE = re.compile("[\ud800-\udfff]")


def visible(text: str) -> str:
    """The text without what nobody sees, each letter in its plainest form. Printable ASCII stays as it is."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(filter(_is_seen, unicodedata.normalize("NFKD", text)))


def _is_seen(letter):
    kind = unicodedata.category(letter)
    return letter in SPACES or not (kind == "Mn" or kind.startswith("C") or letter in DROPPED)


def replaced(text: str) -> str:
    """The same text with U+FFFD in place of each half; two halves that fit become their character."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def refusal(text: str) -> str:
    """Why text with a half is refused; empty if there is none."""
    half = SURROGATE.search(text)
    return f"found U+{ord(half[0]):04X}, half of a character; expected whole ones: type it again" if half else ""

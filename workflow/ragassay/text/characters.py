"""Characters that nobody sees, and halves of characters. An invisible character in each word, or accents on its
letters, leaves a vector where it was and changes the words for whatever counts them; so all that scores a passage
reads it through `visible`. Halves of surrogate pairs, which JSON can spell, fit into no UTF-8 file.

Text from outside passes through this module before it is stored: what people type is refused with `refusal`, what
strangers publish and models write loses these characters in `fit`."""

import re
import unicodedata

SPACES = "\t\n\r"
FORMULA = frozenset("=+-@\t\r\n'")
DROPPED = "\ufffd\u1734"  # which tokenizers drop, too
SURROGATE = re.compile("[\ud800-\udfff]")
# What steers a terminal, turns a line about, says where one breaks, spells orders that nobody sees (tags), fills a
# place with nothing, or is no character at all. White space stays, and so do joiners (U+200C and U+200D) and the marks
# of a script, such as Mongolian's U+180E, without which it cannot be written.
FILLERS = re.compile("[\u3164\uffa0]")  # letters, for Python
BETWEEN = "\x1e"  # the record separator, which no cleaned text has
UNFIT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\u3164\uffa0\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e007f"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000))
    + "]"
)


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


def fit(text: str) -> str:
    """The same text without the characters that are not stored; such white space becomes a line end."""
    if text.isprintable() and (text.isascii() or not FILLERS.search(text)):
        return text
    return UNFIT.sub(lambda match: "\n" if match[0].isspace() else "", text)


def fit_tree(tree):
    """The same lxml tree, whose texts lose the characters that are not stored: references such as &#11; spell some
    that lxml reads and will not write.
    """
    for node in tree.iter():
        for part in ("text", "tail") if isinstance(node.tag, str) else ("tail",):
            text = getattr(node, part)
            if text and text != (kept := fit(text)):
                setattr(node, part, kept)
    return tree


def csv_cell(value):
    """The same value for a cell of CSV: a text that a spreadsheet would run gets an apostrophe in front."""
    if not isinstance(value, str):
        return "" if value is None else value
    text = fit(value)
    return f"'{text}" if text[:1] in FORMULA else text


def refusal(value) -> str:
    """Why a text is refused, or any text of a list or mapping; empty if nothing is wrong."""
    if isinstance(value, dict | list):
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        return next(filter(None, map(refusal, parts)), "")
    unfit = UNFIT.search(value) if isinstance(value, str) else None
    if not unfit:
        return ""
    what = "half of a character" if SURROGATE.match(unfit[0]) else "a character that nobody sees"
    return f"found U+{ord(unfit[0]):04X}, {what}, expected text; type it again"


def pair(first: str, second: str) -> str:
    """Two texts that an encoder reads as a pair, such as title and text, in one string with one key in the store."""
    return f"{first}{BETWEEN}{second}"


def split(text: str) -> tuple[str, str | None]:
    """Both texts; the second is None if it is no pair."""
    first, between, second = text.partition(BETWEEN)
    return first, second if between else None

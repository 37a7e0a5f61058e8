"""Which charset a text from the web is in, by its byte order mark, by labels, or by what its bytes look like. The
labels are a closed list: Python knows more codecs than the web has charsets, some of them slow, no text, or raising
whatever the error handler is."""

import codecs
import re

# UTF-32 first: its mark begins with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What the web calls by the first name is the second, which holds more characters.
WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
CHARSET = re.compile(r"utf-(8|16|16-[bl]e)|iso8859-\d+|iso2022_jp|cp\d+|koi8-[rut]|gb18030|big5\w*|euc_\w+|mac-\w+")


def marked(body: bytes) -> tuple[str, str] | None:
    """The text and its charset, if a byte order mark tells."""
    for mark, charset in MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(charset, "replace"), charset
    return None


def charset_of(label: str) -> str | None:
    """Python's name of a charset of the web."""
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return None
    name = WIDER.get(name, name)
    return name if CHARSET.fullmatch(name) else None

"""How the bytes of a page become text: by byte order mark, header, the page's own declaration, then a detector. A
declaration counts only if the bytes fit it, since many servers declare what they do not send; a declared one-byte
charset gives way where the bytes are valid UTF-8, which does not happen by chance. Never raises."""

import re

from ragassay.news._charsets import charset_of, marked

LABEL = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
DECLARED = re.compile(
    rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})|<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{1,40})",
    re.IGNORECASE,
)
ONE_BYTE = re.compile(r"iso8859-\d+|cp(125\d|874|866)|koi8-[rut]|mac-\w+")
HIGH = bytes(range(128, 256))
SEARCHED, SAMPLED = 4096, 8000


def decode(body: bytes, content_type: str | None = None) -> tuple[str, str, str]:
    """The text, its charset, and how it was found: mark, header, meta or detector."""
    if by_mark := marked(body):
        return *by_mark, "mark"
    try:
        utf8 = body.decode("utf-8")
    except UnicodeDecodeError:
        utf8 = None
    high = 0 if utf8 is not None and len(utf8) == len(body) else len(body) - len(body.translate(None, HIGH))
    declared = _declared(body, content_type)
    for charset, source in declared:
        if utf8 is not None and charset == "utf-8":
            return utf8, charset, source
        if high and utf8 is not None and ONE_BYTE.fullmatch(charset):
            return utf8, "utf-8", "detector"
        if charset.startswith("utf-16") and b"\0" not in body[:SEARCHED]:
            continue
        text = body.decode(charset, "replace")
        if _fits(text, high):
            return text, charset, source
    if utf8 is not None:
        return utf8, "utf-8", "detector"
    text = body.decode("utf-8", "replace")
    charset = "utf-8" if _fits(text, high) else _detected(body) or (declared or [("utf-8", "")])[0][0]
    return body.decode(charset, "replace"), charset, "detector"


def _fits(text, high):
    return text.count("\ufffd") * 10 <= high


def _declared(body, content_type):
    header, meta = LABEL.search(content_type or ""), DECLARED.search(body[:SEARCHED])
    labels = [(header[1], "header")] if header else []
    labels += [((meta[1] or meta[2]).decode("ascii", "replace"), "meta")] if meta else []
    named = [(charset_of(label), source) for label, source in labels]
    return [(charset, source) for charset, source in named if charset]


def _detected(body):
    """What the bytes around the first that is not ASCII look like; the sample ends at a tag, not within a character."""
    from charset_normalizer import from_bytes  # few pages need it

    first = re.search(rb"[\x80-\xff]", body).start()
    sample = body[max(0, first - SAMPLED // 4) :][:SAMPLED]
    best = from_bytes(sample.rpartition(b"<")[0] or sample).best()
    return charset_of(best.encoding) if best else None

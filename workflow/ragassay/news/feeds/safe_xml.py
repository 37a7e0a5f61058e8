"""XML from outside, looked through before anything else reads it: no declared entities, bounded depth and size.
`checked` decodes the bytes once and gives back UTF-8 that says so, so that the next parser sees what was looked
through. Mistakes in markup are not refused; what the strict parser did not reach is counted roughly."""

import functools
import re
import sys
from xml.parsers import expat

from ragassay.base.errors import AssayError
from ragassay.news._charsets import charset_of, marked

LARGEST = 5_000_000  # bytes; the fattest feeds of whole articles have two or three million
DEEPEST = 100  # elements in elements
MOST = 25_000  # elements, and as many attributes
MOST_REFERENCES = 300_000  # such as &lt;
MOST_NAMESPACES = 200  # different ones: feedparser's time grows with the square of their number
LONGEST_TAG = 50_000  # bytes, in damaged documents

LONGEST_NUMBER = 7  # digits of the last character's number

DECLARATION = re.compile(r"\s*<\?xml\b[^>]*?\?>", re.IGNORECASE)
ENCODING = re.compile(rb"""<\?xml\b[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""", re.IGNORECASE)
CHARSET = re.compile(r"""charset\s*=\s*["']?([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)
BARE = ((b"<\0\0\0", "utf-32-le"), (b"\0\0\0<", "utf-32-be"), (b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))
NAMESPACE = re.compile(rb"""xmlns[\w:.-]{0,80}\s*=\s*["'][^"'<>]{0,200}""")
REFERENCE = re.compile("&(?:amp;)?#(?:[xX]0*([0-9a-fA-F]+)|0*([0-9]+));?")  # also as the text of a text, in HTML
SURROGATE = re.compile("[\ud800-\udfff]")
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SEVEN_BITS = "iso2022_jp"  # its bytes are valid UTF-8 and mean something else
BOMB = b'<!DOCTYPE a [<!ENTITY b "cc"><!ENTITY d "&b;&b;">]><a>&d;</a>'


class UnsafeXml(ValueError):
    """The document is one that we do not read; the message says why."""


def checked(content: bytes, content_type: str = "") -> bytes:
    """The document as UTF-8 with a declaration that says so; UnsafeXml if it may not be read."""
    self_test()
    return _checked(content, content_type)


@functools.cache
def self_test() -> None:
    """Stop the process if declared entities get past us here, whatever versions of the parsers are installed."""
    for bomb in (BOMB, b"<!-- <x -->" + BOMB, BOMB.decode().encode("utf-16")):
        try:
            _checked(bomb, "")
        except UnsafeXml:
            continue
        raise AssayError(
            f"found that a document with declared entities ({bomb[:40]!r}...) passes the check of feeds on this "
            f"machine (expat {expat.EXPAT_VERSION}), expected it to be refused; install the locked packages again"
        )


def _checked(content, content_type):
    if len(content) > LARGEST:
        raise UnsafeXml(f"found {len(content)} bytes, expected at most {LARGEST}")
    text = REFERENCE.sub(_possible, decoded(content, content_type))
    if SURROGATE.search(text):  # programs write an emoji as two of them
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = NOT_IN_XML.sub("", text)
    text = DECLARATION.sub("", text, count=1) if DECLARATION.match(text) else text
    document = b'<?xml version="1.0" encoding="utf-8"?>' + text.encode()
    _look_through(document)
    return document


def _possible(reference):
    """The reference as it stands, but for those at which parsers give up: half a pair becomes its sign, what no
    document may hold becomes nothing.
    """
    digits, base = (reference[1], 16) if reference[1] else (reference[2], 10)
    number = int(digits, base) if len(digits) <= LONGEST_NUMBER else sys.maxunicode + 1
    if number > sys.maxunicode:
        return ""
    sign = chr(number)
    if SURROGATE.match(sign):
        return sign
    return "" if NOT_IN_XML.match(sign) else reference[0]


def decoded(content: bytes, content_type: str = "") -> str:
    """The text: by its byte order mark, else UTF-8 if it is that, else what the document or the header says."""
    if by_mark := marked(content):
        return by_mark[0]
    for beginning, encoding in BARE:
        if content.startswith(beginning):
            return content.decode(encoding, "replace")
    labels = [label.decode() for label in ENCODING.findall(content[:1_000])] + CHARSET.findall(content_type)
    named = [name for name in map(charset_of, labels) if name]
    if SEVEN_BITS not in named:
        named.insert(0, "utf-8")
    for name in named:
        try:
            return content.decode(name)
        except UnicodeDecodeError:
            continue
    wrong = [name for name in named if name != "utf-8"]
    return content.decode(wrong[0] if wrong else "windows-1252", "replace")


def _look_through(document):
    _limit(document.count(b"&"), MOST_REFERENCES, "references such as &lt;")
    parser, seen = expat.ParserCreate(), Seen()
    parser.StartElementHandler, parser.EndElementHandler = seen.begin, seen.end
    parser.StartDoctypeDeclHandler, parser.EntityDeclHandler = seen.doctype, seen.entity
    try:
        parser.Parse(document, True)
    except expat.ExpatError:  # lenient parsers go on behind it
        seen.lenient = True
        _limit(document.count(b"<"), MOST, "marks of elements")
        _limit(document.count(b"xml:base"), DEEPEST, "bases of addresses")  # each may stand inside all before it
        _limit(len(set(NAMESPACE.findall(document))), MOST_NAMESPACES, "namespaces")
        if re.search(rb"<[^<>]{%d}" % LONGEST_TAG, document):
            raise UnsafeXml(
                f"found a mark of more than {LONGEST_TAG} bytes, expected a feed to have short ones"
            ) from None
    head = re.split(rb"<\w", document, maxsplit=1)[0]  # there feedparser looks for declarations, in comments too
    if re.search(rb"<!ENTITY", document if seen.lenient else head, re.IGNORECASE):
        raise UnsafeXml("found a declared entity, expected none")


class Seen:
    """What the strict parser has come across so far."""

    def __init__(self):
        self.depth = self.elements = self.attributes = 0
        self.namespaces = set()
        self.lenient = False  # whether there is more than it looks into

    def begin(self, _, attributes):
        self.depth += 1
        self.elements += 1
        self.attributes += len(attributes)
        self.namespaces |= {named for named in attributes.items() if named[0].startswith("xmlns")}
        _limit(self.depth, DEEPEST, "elements inside one another")
        _limit(self.elements, MOST, "elements")
        _limit(self.attributes, MOST, "attributes")
        _limit(len(self.namespaces), MOST_NAMESPACES, "namespaces")

    def end(self, _):
        self.depth -= 1

    def doctype(self, name, system, public, has_subset):
        self.lenient = True
        if has_subset:
            raise UnsafeXml(f"found a document type of its own ({name!r:.40}), expected none: it can declare entities")

    def entity(self, *_):
        raise UnsafeXml("found a declared entity, expected none")


def _limit(count, most, what):
    if count > most:
        raise UnsafeXml(f"found more than {most} {what}, expected a feed to be smaller")

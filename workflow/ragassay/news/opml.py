"""Lists of feeds as feed readers export them: OPML files with outlines in outlines.

A feed counts for the topic of its own category, else of the nearest outline around it whose name is a topic. The file
is the user's own, so that one that cannot be read is an error; one that declares entities is refused all the same.
"""

import hashlib
from pathlib import Path

from lxml import etree

from ragassay.errors import AssayError
from ragassay.news.feed_table import Listed
from ragassay.news.safe_xml import UnsafeXml, checked


class OpmlError(AssayError):
    """A list of feeds cannot be read."""


def listed(path) -> list[Listed]:
    """All feeds of the file, in its order."""
    content = Path(path).read_bytes()
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(checked(content), parser)
    except (UnsafeXml, etree.XMLSyntaxError) as error:
        raise OpmlError(f"{path}: {error}; expected an OPML file as feed readers export it") from error
    if etree.QName(root).localname.lower() != "opml":
        raise OpmlError(f"{path}: found the element {root.tag!r:.40}, expected opml; export the list of feeds again")
    digest = hashlib.sha256(content).hexdigest()
    return [_listed(outline, path, digest) for outline in root.iter("{*}outline") if _is_feed(outline)]


def _listed(outline, path, digest):
    said = _attributes(outline)
    categories = [part.strip() for name in said.get("category", "").split(",") for part in reversed(name.split("/"))]
    around = [_attributes(other) for other in outline.iterancestors("{*}outline")]
    names = [*categories, *(other.get("text") or other.get("title", "") for other in around)]
    url = said.get("xmlurl", "").strip()
    return Listed(
        url=url,
        names=[name for name in names if name],
        place=f"{path} line {outline.sourceline} {url}".strip(),
        source="opml",
        source_hash=digest,
        page=said.get("htmlurl", "").strip(),
        language=said.get("language", "").strip().lower()[:2] or None,
    )


def _is_feed(outline):
    said = _attributes(outline)
    return "xmlurl" in said or said.get("type", "").lower() in ("rss", "atom", "include")


def _attributes(outline):
    """By lower-case name: programs write xmlUrl in every way."""
    return {str(name).lower(): value for name, value in outline.attrib.items()}

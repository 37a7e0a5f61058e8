"""The outlines of an OPML file that promise a feed, from its bytes. `opml` interprets them.

Nothing here limits time or memory, and a file may be made to waste both: call it in a child (`feed_worker`).
"""

from lxml import etree

from ragassay.news.feeds.safe_xml import UnsafeXml, checked


class NotOpml(Exception):
    """Why a file holds no list of feeds."""

    def __init__(self, detail: str):
        super().__init__(detail)
        self.reason, self.detail = "not_opml", detail


def outlines(content: bytes) -> list[dict]:
    """For each feed, in the file's order: its line, its attributes in small letters, since programs write xmlUrl in
    every way, and the names of the outlines around it, the nearest first.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(checked(content), parser)
    except (UnsafeXml, etree.XMLSyntaxError) as error:
        raise NotOpml(f"{error}; expected an OPML file as feed readers export it") from error
    if etree.QName(root).localname.lower() != "opml":
        raise NotOpml(f"found the element {root.tag!r:.40}, expected opml; export the list of feeds again")
    return [
        {
            "line": outline.sourceline,
            "own": _attributes(outline),
            "around": [_name(_attributes(other)) for other in outline.iterancestors("{*}outline")],
        }
        for outline in root.iter("{*}outline")
        if _is_feed(_attributes(outline))
    ]


def _name(own):
    return own.get("text") or own.get("title", "")


def _is_feed(own):
    return "xmlurl" in own or own.get("type", "").lower() in ("rss", "atom", "include")


def _attributes(outline):
    return {str(name).lower(): value for name, value in outline.attrib.items()}

"""Read a feed (RSS or Atom): which pages it names, each once, and when it says they came. feedparser would also open
files, fetch addresses and expand entities, so it gets nothing but bytes that `safe_xml` has looked through. Nothing
here limits time or memory: crawls call it in a child (`feed_worker`)."""

import calendar
import datetime
import io
import re

import feedparser
from feedparser.mixin import _FeedParserMixin
from lxml import html
from lxml.etree import ParserError

from ragassay.news.feeds.feed_worker import Entry, Feed
from ragassay.news.feeds.safe_xml import UnsafeXml, checked
from ragassay.news.fetching.links import NotALink, link
from ragassay.text.characters import fit

MOST_ENTRIES = 2_000
LONGEST_TITLE = 1_000
BLANK = re.compile(rb"\?>\s+")  # behind the declaration: feedparser's time grows with the square of these lines
# What feedparser lets out at markup that it did not expect: a position without a place, a sign beyond Unicode.
STUMBLES = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
# It looks for addresses in names of authors, in time that grows with the square of their length; nobody reads them.
_FeedParserMixin._sync_author_detail = lambda *_, **__: None


def parse(content: bytes, url: str, content_type: str = "") -> Feed:
    """The entries of the feed that was found at `url`, in its order; `content_type` is the header, if there was one."""
    try:
        document = BLANK.sub(b"?>", checked(content, content_type), count=1)
    except UnsafeXml as error:
        return Feed([], "not_a_feed", str(error))
    headers = {"content-type": "application/xml; charset=utf-8", "content-location": url}
    try:
        read = feedparser.parse(
            io.BytesIO(document), response_headers=headers, resolve_relative_uris=False, sanitize_html=False
        )
    except STUMBLES as error:
        return Feed([], "not_a_feed", f"found markup at which feedparser stumbles ({type(error).__name__}: {error})")
    if not read.version and not read.entries:
        return Feed([], "not_a_feed", f"found {_beginning(document)!r}, expected RSS or Atom")
    entries, unusable = {}, 0
    for item in read.entries[:MOST_ENTRIES]:
        try:
            entry = _entry(item, url)
        except NotALink:
            unusable += 1
        else:
            entries.setdefault(entry.url, entry)
    detail = []
    if len(read.entries) > MOST_ENTRIES:
        detail.append(f"took the first {MOST_ENTRIES} of {len(read.entries)} entries")
    if unusable:
        detail.append(f"{unusable} entries without a usable link")
    return Feed(list(entries.values()), "live" if entries else "empty", "; ".join(detail))


def _entry(item, url):
    address = item.get("feedburner_origlink") or item.get("link") or ""
    if not address.strip():
        raise NotALink("found no address")
    moment = "published" if dict.get(item, "published") else "updated"
    return Entry(
        url=link(address, url),
        title=plain(item.get("title", "")),
        published=_line(dict.get(item, moment) or ""),  # dict's own get: feedparser's warns and guesses
        published_at=_moment(dict.get(item, f"{moment}_parsed")),
    )


def _moment(parsed):
    if parsed is None:
        return None
    try:
        seconds = calendar.timegm(parsed)
        datetime.datetime.fromtimestamp(seconds, datetime.UTC)  # refuses what is no moment of our calendar
    except (ValueError, OverflowError, OSError):
        return None
    return seconds


def plain(title: str) -> str:
    """A headline without markup, on one line."""
    title = title[: 4 * LONGEST_TITLE]
    if re.search(r"<[A-Za-z/!]|&[A-Za-z#]", title):
        try:
            title = html.fragment_fromstring(title, create_parent="div").text_content()
        except (ParserError, ValueError):
            title = re.sub(r"<[^>]*>", " ", title)
    return _line(title)


def _line(text):
    return " ".join(fit(text).split())[:LONGEST_TITLE]


def _beginning(document):
    return document.partition(b"?>")[2][:60].decode("utf-8", "ignore")

"""Read a feed (RSS or Atom): which pages it names, each once, and when it says they came. feedparser would also open
files, fetch addresses and expand entities, so it gets nothing but bytes that `safe_xml` has looked through. Nothing
here limits time or memory: crawls run this module as a program that can be killed (`ragassay.documents.readers`), which
reads lists of feeds, too. Named tuples are lists on their way to the parent."""

import calendar
import datetime
import functools
import io
import re
from typing import NamedTuple

from ragassay.documents.readers import main
from ragassay.news.feeds.safe_xml import UnsafeXml, checked, self_test
from ragassay.news.fetching.links import NotALink, link
from ragassay.text.characters import fit

PROGRAM = "ragassay.news.feeds.feed"  # this module, for readers
FEED, OPML = "feed", "opml"  # what it reads
MOST_ENTRIES = 2_000
LONGEST_TITLE = 1_000
BLANK = re.compile(rb"\?>\s+")  # behind the declaration: feedparser's time grows with the square of these lines
# What feedparser lets out at markup that it did not expect: a position without a place, a sign beyond Unicode.
STUMBLES = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class Entry(NamedTuple):
    """One page that a feed names."""

    url: str
    title: str
    published: str  # as written there, or empty
    published_at: float | None  # in seconds since 1970, where that can be read


class Feed(NamedTuple):
    entries: list[Entry]
    kind: str  # live, empty or not_a_feed
    detail: str  # why it is no feed, and how many entries had no usable link


def loaded():
    from ragassay.news.feeds.feed_lists import outlines

    self_test()  # if it fails, there is no reader: an error below concerns one feed alone
    _feedparser()
    plain("<b>&amp;</b>")

    def read(body, kind, *details):
        return outlines(body) if kind == OPML else parse(body, *details)

    return read


@functools.cache
def _feedparser():
    """Only the program that reads feeds loads it, as it starts."""
    import feedparser
    from feedparser.mixin import _FeedParserMixin

    # It looks for addresses in names of authors, in time that grows with the square of their length; nobody reads them.
    _FeedParserMixin._sync_author_detail = lambda *_, **__: None
    return feedparser


def parse(content: bytes, url: str, content_type: str = "") -> Feed:
    """The entries of the feed that was found at `url`, in its order; `content_type` is the header, if there was one."""
    try:
        document = BLANK.sub(b"?>", checked(content, content_type), count=1)
    except UnsafeXml as error:
        return Feed([], "not_a_feed", str(error))
    headers = {"content-type": "application/xml; charset=utf-8", "content-location": url}
    try:
        read = _feedparser().parse(
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
    from lxml import html
    from lxml.etree import ParserError

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


if __name__ == "__main__":
    main(loaded)

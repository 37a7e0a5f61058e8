"""The program in which feeds and lists of feeds are read, one after the other (see `worker_main`), and what it says of
a feed: named tuples, which are lists on their way to the parent."""

from typing import NamedTuple

from ragassay.documents import _worker_main

FEED, OPML = "feed", "opml"


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
    from ragassay.news.feeds.feed import parse
    from ragassay.news.feeds.feed_lists import outlines
    from ragassay.news.feeds.safe_xml import self_test

    self_test()  # if it fails, there is no worker: an error below concerns one feed alone

    def read(body, kind, *details):
        return outlines(body) if kind == OPML else parse(body, *details)

    return read


if __name__ == "__main__":
    _worker_main.main(loaded)

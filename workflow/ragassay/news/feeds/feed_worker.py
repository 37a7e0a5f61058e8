"""The program in which feeds and lists of feeds are read, one after the other: see `worker_main`."""

from ragassay.news.readers import worker_main

FEED, OPML = "feed", "opml"


def loaded():
    from ragassay.news.feeds.entries import to_json
    from ragassay.news.feeds.feed import parse
    from ragassay.news.feeds.outlines import outlines

    def read(body, kind, *about):
        return outlines(body) if kind == OPML else to_json(parse(body, *about))

    return read


if __name__ == "__main__":
    worker_main.main(loaded)

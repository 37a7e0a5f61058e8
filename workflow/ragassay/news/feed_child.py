"""The program in which feeds and lists of feeds are read, one after the other: see `child`."""

from ragassay.news import child

FEED, OPML = "feed", "opml"


def loaded():
    from ragassay.news.entries import to_json
    from ragassay.news.feeds import parse
    from ragassay.news.outlines import outlines

    def read(body, kind, *about):
        return outlines(body) if kind == OPML else to_json(parse(body, *about))

    return read


if __name__ == "__main__":
    child.main(loaded)

"""One table of feeds from all lists: each feed once, with one of the study's topics, its address checked.

Lists of feeds give `Listed` rows; here they are checked. The first listing of a feed counts, so the order in which
lists are given is the order of precedence. Does not read the lists: see `directory` and `opml`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from ragassay.news.fetching.links import NotALink, link

PAPER_TOPICS = "business entertainment food music news politics science sport tech travel".split()
# What else newscatcher and feed readers call them. The first three are newscatcher's own further topics.
OTHER_NAMES = {
    "finance": "business",
    "economics": "business",
    "world": "news",
    "sports": "sport",
    "technology": "tech",
}


@dataclass(frozen=True)
class Listed:
    """A feed as a list gives it."""

    url: str
    names: list[str]  # of topics, the nearest first
    place: str  # where it is listed, for a person
    source: str
    source_hash: str | None = None
    site: str | None = None
    page: str = ""  # the site's address, if that is all that is known of it
    language: str | None = None
    country: str | None = None
    rank: int | None = None
    main: bool | None = None


class Unusable(ValueError):
    """A feed cannot be used: a reason from a fixed list (bad_url, other_topic, duplicate) and a detail."""

    def __init__(self, reason, detail):
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail


def feed_rows(
    listed: Iterable[Listed], topics: list[str], other_names: dict[str, str]
) -> tuple[list[dict], list[dict]]:
    """The rows of the table feeds and the rows of rejects; each feed that is listed is in one of them."""
    rows, rejects, places = [], [], {}
    for number, feed in enumerate(listed, 1):
        try:
            row = _row(feed, topics, other_names)
            same = row["feed_url"].partition("://")[2]
            if same in places:
                raise Unusable("duplicate", f"found the same feed as {places[same]}, expected each once")
        except Unusable as why:
            reject = {"stage": "export_feeds", "shard": "-", "item": f"{number} {feed.place}"}
            rejects.append(reject | {"reason": why.reason, "detail": why.detail})
        else:
            places[same] = feed.place
            rows.append(row)
    return rows, rejects


def topic_of(names: Iterable[str], topics: list[str], other_names: dict[str, str]) -> tuple[str, str] | None:
    """The first name that is a topic or another name of one, as (topic, name); upper case does not matter."""
    known = {topic.lower(): topic for topic in topics}
    others = {name.lower(): topic for name, topic in other_names.items() if topic in topics}
    for name in names:
        if topic := (others | known).get(name.strip().lower()):
            return topic, name
    return None


def _row(feed, topics, other_names):
    try:
        url = link(feed.url)
    except NotALink as error:
        raise Unusable("bad_url", str(error)) from error
    topic = topic_of(feed.names, topics, other_names)
    if topic is None:
        found = ", ".join(feed.names)[:200] or "none"
        raise Unusable("other_topic", f"found the topics {found}, expected one of {', '.join(topics)}")
    return {
        "feed_url": url,
        "site": feed.site or _site(feed.page) or _site(url),
        "topic": topic[0],
        "listed_topic": topic[1],
        "language": feed.language,
        "country": feed.country,
        "rank": feed.rank,
        "main": feed.main,
        "https_first": feed.source == "newscatcher" and url.startswith("http:"),
        "source": feed.source,
        "source_hash": feed.source_hash,
    }


def _site(address):
    try:
        return (urlsplit(link(address)).hostname or "").removeprefix("www.")
    except NotALink:
        return None

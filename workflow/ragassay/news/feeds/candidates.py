"""The pages that the feeds of a shard name, and which of them are fetched. A page counts for the first feed by
address that names it, one that dates it into the shard's days before others. Of more pages than are needed those come
first whose addresses do by their hash, so that neither the order of feeds nor that of answers matters."""

import datetime
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from ragassay.base import chance
from ragassay.documents.readers import DEATHS
from ragassay.news.feeds.feed import Entry, Feed
from ragassay.news.fetching.archive import Kept

DAY, SLACK_DAYS = 86_400, 2  # dates of feeds are not to be trusted to the day
DISALLOWED = {"disallowed", "robots_unavailable", "crawl_delay", "opted_out"}
BLOCKED = {"put_off", "no_contact"}
REFUSING = {401, 403, 407, 429, 451, 503}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that a feed names; with a reason if it must not be fetched."""

    url: str
    topic: str
    feed_url: str
    title: str
    published: str
    reason: str = ""
    detail: str = ""

    @property
    def rank(self):
        return self.reason != "", self.feed_url


@dataclass(frozen=True)
class Days:
    """The days of a shard, first and last included; a date that is missing lies inside."""

    first: str
    last: str

    def hold(self, moment: float | None) -> bool:
        """Whether a moment, in seconds since 1970, is one of these days."""
        begin = _midnight(self.first) - SLACK_DAYS * DAY
        end = _midnight(self.last) + (SLACK_DAYS + 1) * DAY
        return moment is None or begin <= moment < end


@dataclass
class Candidates:
    """All pages that feeds named, and how the feeds answered."""

    days: Days
    opted_out: Callable[[str], bool] = lambda url: False
    health: list[dict] = field(default_factory=list)
    pages: dict[str, Candidate] = field(default_factory=dict)  # by address, each once
    own: set[str] = field(default_factory=set)  # of these, pages that feeds at the user's own hosts name

    @property
    def foreign(self) -> set[str]:
        """The addresses of pages that only feeds of others name."""
        return self.pages.keys() - self.own

    def take(self, row: dict, health: str, detail: str, entries: list[Entry], is_own: bool = False) -> None:
        """Note how the feed of a row of the table feeds answered, and what it names; `own` if it lies at a host of the
        user's own.
        """
        if is_own:
            self.own.update(entry.url for entry in entries)
        inside = 0
        for entry in entries:
            candidate = self._candidate(row, entry)
            inside += candidate.reason != "outside_window"
            earlier = self.pages.get(entry.url)
            if earlier is None or candidate.rank < earlier.rank:
                self.pages[entry.url] = candidate
        if health == "live" and not inside:
            health, detail = "empty", "; ".join(filter(None, ["no entry in the shard's days", detail]))
        columns = {name: row[name] for name in ("feed_url", "topic", "site")}
        self.health.append(columns | {"health": health, "entries": inside, "detail": detail})

    def _candidate(self, row, entry):
        columns = entry.url, row["topic"], row["feed_url"], entry.title, entry.published
        if not self.days.hold(entry.published_at):
            detail = f"found {entry.published} in {row['feed_url']}, expected {self.days.first} to {self.days.last}"
            return Candidate(*columns, "outside_window", detail)
        if self.opted_out(entry.url):
            return Candidate(*columns, "opted_out", "on the list of opt-outs")
        return Candidate(*columns)

    def chosen(self, per_topic: int | None) -> set[str]:
        """The addresses of at most so many pages of each topic; of all if it is None."""
        topics = defaultdict(list)
        for url, candidate in self.pages.items():
            if not candidate.reason:
                topics[candidate.topic].append((chance.lot(None, url), url))
        return {url for pages in topics.values() for _, url in sorted(pages)[:per_topic]}


def read(reply: dict) -> tuple[str, str, list[Entry]]:
    """The health of a feed that answered (live, empty, dead or crash), a detail for people, and its entries; `reply` is
    its reader's result.
    """
    if reply.get("reason") in DEATHS:
        return "crash", f"{reply['reason']}: {reply['detail']}", []
    feed = Feed(*reply["read"])
    entries = [Entry(*entry) for entry in feed.entries]
    return ("dead" if feed.kind == "not_a_feed" else feed.kind), feed.detail, entries


def unread(kept: Kept | None, not_asked: str = "") -> tuple[str, str, list[Entry]]:
    """The same for a feed that gave nothing to read: dead, blocked, disallowed or crash. `not_asked` is why it has no
    answer, if it has none.
    """
    if kept is None:
        return "dead", f"not asked: {not_asked}", []
    detail = f"{kept.outcome}: {kept.detail}" if kept.detail else kept.outcome
    if kept.outcome in DISALLOWED:
        return "disallowed", detail, []
    if kept.outcome == "crash":
        return "crash", detail, []
    return ("blocked" if kept.status in REFUSING or kept.outcome in BLOCKED else "dead"), detail, []


def _midnight(day):
    return datetime.datetime.fromisoformat(day).replace(tzinfo=datetime.UTC).timestamp()

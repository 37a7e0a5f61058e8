"""Crawl the feeds and pages of one shard: who is asked for what, in which order. How is the fetcher's business.

Hosts are asked side by side, each for one thing after the other. What is already kept is not asked for again, but for
answers that may be otherwise the next time. Of more pages than are needed those are taken whose addresses come first by
their hash, so that neither the order of feeds nor that of answers decides. Does not read the pages: see extraction.
"""

import asyncio
import datetime
import hashlib
import time
from collections import defaultdict
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ragassay.news import feeds as feed_reader
from ragassay.news.fetcher import Fetcher
from ragassay.news.kept import Answers, Kept
from ragassay.stage import log

SLACK_DAYS = 2  # dates of feeds are not to be trusted to the day
PROGRESS_SECONDS = 30.0
DISALLOWED = {"disallowed", "robots_unavailable", "crawl_delay", "opted_out"}
REFUSING = {401, 403, 407, 429, 451, 503}


@dataclass(frozen=True)
class Candidate:
    """A page that a feed names."""

    url: str
    topic: str
    feed_url: str
    title: str
    published: str


@dataclass
class Found:
    """What the feeds of a shard hold."""

    health: list[dict] = field(default_factory=list)
    candidates: dict[str, Candidate] = field(default_factory=dict)  # by address, each once
    refused: dict[str, tuple[str, str]] = field(default_factory=dict)  # address -> reason, detail


class Crawl:
    def __init__(self, fetcher: Fetcher, answers: Answers, name: str):
        self.fetcher, self.answers, self.name = fetcher, answers, name
        self.done = self.total = 0
        self.told = time.monotonic()

    async def ask(self, urls: list[str]) -> None:
        """Have an answer for each address; those that failed in passing are tried once more at the end."""
        self.done, self.total = 0, len(urls)
        wanted = [url for url in urls if self._is_wanted(url)]
        self.done = self.total - len(wanted)
        for _ in range(2):
            hosts = defaultdict(list)
            for url in wanted:
                hosts[urlsplit(url).hostname].append(url)
            async with asyncio.TaskGroup() as group:
                for own in hosts.values():
                    group.create_task(self._ask_host(own))
            wanted = [url for url in wanted if self._is_wanted(url)]

    def _is_wanted(self, url):
        kept = self.answers.own.get(url)
        return kept is None or kept.passing or (kept.outcome == "ok" and kept.body() is None)

    async def _ask_host(self, urls):
        for url in urls:
            known = self.answers.others.get(url)
            known = known if known and known.body() is not None else None
            headers = known.headers if known else {}
            answer = await self.fetcher.fetch(url, headers.get("etag"), headers.get("last-modified"))
            self.answers.keep(answer, known)
            self.done = min(self.done + 1, self.total)
            self._tell()

    def _tell(self):
        if time.monotonic() - self.told > PROGRESS_SECONDS:
            self.told = time.monotonic()
            log.info("%s: %d of %d addresses asked", self.name, self.done, self.total)

    async def feeds(self, rows: list[dict], first_day: str, last_day: str) -> Found:
        """Ask all feeds and read their entries; old addresses are tried under https first."""
        secure = {row["feed_url"]: _secure(row["feed_url"]) for row in rows if row["https_first"]}
        await self.ask(sorted(secure.values()))
        answered = {plain for plain, url in secure.items() if self.answers.own[url].outcome == "ok"}
        await self.ask(sorted(row["feed_url"] for row in rows if row["feed_url"] not in answered))
        found, days = Found(), _days(first_day, last_day)
        for row in sorted(rows, key=lambda row: row["feed_url"]):
            plain = row["feed_url"]
            kept = self.answers.own[secure[plain] if plain in answered else plain]
            health, detail, entries = _health(kept)
            inside = {entry.url for entry in entries if _is_inside(entry, days)}
            for entry in entries:
                if entry.url in inside:
                    candidate = Candidate(entry.url, row["topic"], plain, entry.title, entry.published)
                    found.candidates.setdefault(entry.url, candidate)
                else:
                    told = f"found {entry.published} in {plain}, expected {first_day} to {last_day}"
                    found.refused[entry.url] = "outside_window", told
            if health == "live" and not inside:
                health, detail = "empty", "no entry in the shard's days"
            own = {name: row[name] for name in ("feed_url", "topic", "site")}
            found.health.append(own | {"health": health, "entries": len(inside), "detail": detail})
        found.refused = {url: why for url, why in found.refused.items() if url not in found.candidates}
        return found


def chosen(candidates: dict[str, Candidate], per_topic: int | None) -> dict[str, Candidate]:
    """At most so many of each topic; all if it is None."""
    topics = defaultdict(list)
    for url, candidate in candidates.items():
        topics[candidate.topic].append((hashlib.sha256(url.encode()).digest(), url))
    return {url: candidates[url] for found in topics.values() for _, url in sorted(found)[:per_topic]}


def _secure(url):
    return "https" + url.removeprefix("http") if url.startswith("http://") else url


def _health(kept: Kept):
    """live, empty, dead, blocked or disallowed; a detail; the entries."""
    if kept.outcome == "ok":
        feed = feed_reader.parse(kept.body(), kept.final_url, kept.headers.get("content-type", ""))
        return ("dead" if feed.kind == "not_a_feed" else feed.kind), feed.detail, feed.entries
    if kept.outcome in DISALLOWED:
        return "disallowed", kept.detail, []
    if kept.status in REFUSING or kept.outcome in ("put_off", "no_contact"):
        return "blocked", kept.detail or kept.outcome, []
    return "dead", kept.detail or kept.outcome, []


def _days(first_day, last_day):
    first, last = (datetime.datetime.fromisoformat(day).replace(tzinfo=datetime.UTC) for day in (first_day, last_day))
    return first - datetime.timedelta(SLACK_DAYS), last + datetime.timedelta(1 + SLACK_DAYS)


def _is_inside(entry, days):
    return entry.published_at is None or days[0] <= entry.published_at < days[1]

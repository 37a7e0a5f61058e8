"""Ask for the feeds and pages of one shard: which host is asked for what, in which order; hosts side by side, each
for one thing at a time. Answers that are kept are not asked for again, except those that may differ, once more at the
end. A feed that fails, or takes long to read, gets its other tries beside the pages of the others. A host that fails or
takes too long is left to the next run."""

import asyncio
import contextlib
import datetime
import importlib
import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Set
from urllib.parse import urlsplit

from ragassay.base.errors import AssayError, Unusable, one_item
from ragassay.base.stage import log
from ragassay.documents.readers import Readers
from ragassay.news.feeds.candidates import Candidates, Days, read, unread
from ragassay.news.feeds.feed import FEED
from ragassay.news.fetching.archive import Answers, packed_body
from ragassay.news.fetching.fetcher import Fetched, Fetcher

PAUSES = (0.0, 60.0, 600.0)  # before each try, for a host that asked for a pause; feeds have one more, the first
QUICK = 2.0  # seconds of the processor in which a feed is read while the others wait for it
MOST_FAILURES = 10  # in a row at one host
PROGRESS_SECONDS = 30.0
AGENT = "ragassay/0.1"


class Crawl:
    """`readers` read feeds; no host is asked for anything after `host_seconds`, none at all after `seconds`."""

    def __init__(
        self,
        fetcher: Fetcher,
        answers: Answers,
        readers: Readers,
        name: str,
        pauses: tuple[float, ...] = PAUSES,
        host_seconds: float = math.inf,
        seconds: float = math.inf,
    ):
        self.fetcher, self.answers, self.readers = fetcher, answers, readers
        self.name, self.pauses, self.host_seconds = name, pauses, host_seconds
        self.seconds, self.begin = seconds, time.monotonic()
        self.entries = {}  # address of a feed -> what `Candidates.take` wants to know of what was read
        self.spent = defaultdict(float)  # host -> seconds
        self.slow = {}  # host -> why nothing more is asked there
        self.done = self.total = 0
        self.told = time.monotonic()

    async def shard(self, rows: list[dict], days: Days, most: int | None = None) -> tuple[Candidates, set[str]]:
        """Ask for all feeds, then for the pages that they name, at most so many of a topic. Returns the candidates and
        the addresses of the chosen pages. Old addresses are tried under https first.
        """
        addresses = {address for row in rows for address in (_address(row), row["feed_url"])}
        await self.ask([_address(row) for row in rows], pauses=self.pauses[:1])
        asked, slow = set(), set()
        while True:
            self._read(addresses, slow)
            candidates, feeds = self._candidates(rows, days, asked)
            pages = candidates.chosen(most)
            new = (feeds | pages) - asked
            if feeds or slow:  # which may name pages at the user's own hosts, where those of others do not count
                new -= {url for url in new & candidates.foreign if self.fetcher.is_own(url)} - feeds
            if not new and not slow:
                return candidates, pages
            log.info(
                "%s: %d pages in %d feeds, %d addresses to ask", self.name, len(candidates.pages), len(rows), len(new)
            )
            reading = asyncio.to_thread(self._read, slow)
            await _together([self.ask(sorted(new), candidates.foreign - feeds), reading])
            asked, slow = asked | new, set()

    def _candidates(self, rows, days, asked):
        """What the feeds have named so far, and the addresses of those that have another try."""
        candidates, again = Candidates(days, self.fetcher.opted_out), set()
        for row in rows:
            url = _address(row)
            taken = self._taken(url)
            if taken[0] == "dead" and url != row["feed_url"] and not self._has_another(url, asked):
                url = row["feed_url"]
                taken = self._taken(url)
            if self._has_another(url, asked):
                again.add(url)
            candidates.take(row, *taken, self._is_own(url))
        return candidates, again

    def _has_another(self, url, asked):
        """Whether a feed has another try."""
        kept = self.answers.own.get(url)
        return url not in asked and not self.fetcher.opted_out(url) and (kept is None or not kept.usable)

    def _is_own(self, url):
        """Whether a feed counts as the user's own: its address is at one of the user's hosts, wherever it has moved."""
        kept = self.answers.own.get(url)
        return kept is not None and self.fetcher.is_own(url) and self.fetcher.is_own(kept.final_url)

    def _taken(self, url):
        """What `Candidates.take` wants to know of the feed at an address."""
        if self.fetcher.opted_out(url):  # perhaps since it was kept
            return "disallowed", "opted_out: on the list of opt-outs", []
        kept = self.answers.own.get(url)
        if kept and kept.outcome == "ok":
            return self.entries.get(url, ("crash", "not read yet", []))
        return unread(kept, self.not_asked(url)[1])

    def _read(self, urls, slow=None):
        """Read the feeds that have answered; those that are not QUICK are added to `slow`, or else waited for."""
        answered = [self.answers.own[url] for url in sorted(urls) if self._is_unread(url)]
        documents = (
            (kept.url, kept.body() or b"", [FEED, kept.final_url, kept.headers.get("content-type", "")])
            for kept in answered
        )
        for url, reply in self.readers.read(documents, None if slow is None else QUICK):
            if slow is not None and reply.get("reason") == "timeout" and self.readers.seconds > QUICK:
                slow.add(url)
            else:
                self.entries[url] = read(reply)

    def _is_unread(self, url):
        kept = self.answers.own.get(url)
        return url not in self.entries and kept is not None and kept.outcome == "ok"

    async def ask(
        self, urls: list[str], foreign: Set[str] = frozenset(), pauses: tuple[float, ...] | None = None
    ) -> None:
        """Get an answer for each address, except at hosts with too many failures. The user's own hosts are closed to
        `foreign` addresses, which others name.
        """
        missing = [url for url in urls if (kept := self.answers.own.get(url)) is None or not kept.usable]
        self.done, self.total = len(urls) - len(missing), len(urls)
        elsewhere = self.answers.known(set(missing))
        for pause in self.pauses if pauses is None else pauses:
            hosts = defaultdict(list)
            for url in sorted(missing, key=lambda url: (url in self.answers.own, url)):  # new ones first
                hosts[urlsplit(url).hostname].append(url)
            await _together(self._ask_host(urls_of_host, elsewhere, foreign, pause) for urls_of_host in hosts.values())
            missing = [url for url in missing if (kept := self.answers.own.get(url)) is None or kept.passing]

    async def _ask_host(self, urls, elsewhere, foreign, pause):
        if any((kept := self.answers.own.get(url)) and kept.outcome == "put_off" for url in urls):
            await asyncio.sleep(max(0.0, min(pause, self._left())))
        host, failures = urlsplit(urls[0]).hostname, 0
        begin = time.monotonic() - self.spent[host]
        for number, url in enumerate(urls):
            if time.monotonic() - begin >= self.host_seconds or self._left() <= 0:
                self._leave(host, len(urls) - number)
                break
            old = elsewhere.get(url)
            old = old if old and old.body() is not None else None
            checks = (old.headers.get("etag"), old.headers.get("last-modified")) if old else ()
            answer = await self._fetch(url, *checks, named=url not in foreign)
            packed = await asyncio.to_thread(packed_body, answer.body)  # as costly as all the rest
            kept = self.answers.keep(answer, old, packed)
            self._tell()
            failures = failures + 1 if kept.passing else 0
            if failures == MOST_FAILURES:
                log.info("%s: %s failed %d times in a row, the last time: %s", self.name, host, failures, kept.outcome)
                break
        self.spent[host] = time.monotonic() - begin

    def _left(self):
        """How many seconds all hosts together have."""
        return self.begin + self.seconds - time.monotonic()

    def _leave(self, host, left):
        if host not in self.slow:
            of_host = f"{host} has taken the {self.host_seconds / 3600:.3g} hours of crawl.hours_per_host"
            of_shard = f"the crawl has taken the {self.seconds / 3600:.3g} hours of crawl.hours_per_shard"
            self.slow[host] = of_host if self._left() > 0 else of_shard
            log.info("%s: %s, %d of its addresses are not asked", self.name, self.slow[host], left)

    def not_asked(self, url: str) -> tuple[str, str]:
        """The reason and a detail for an address that has no answer."""
        if slow := self.slow.get(urlsplit(url).hostname):
            return "out_of_time", slow
        return "given_up", "too much else at its host failed in a row"

    async def _fetch(self, url, *checks, named):
        """An unexpected error costs this address alone; an error that a person has to fix ends the crawl."""
        try:
            with one_item(OSError):  # of our own files: network errors have a separate class
                return await self.fetcher.fetch(url, *checks, named=named)
        except Unusable as why:  # reported in the log, the ledger and the tables
            log.error("%s: %s: %s", self.name, url, why.detail)
            now = datetime.datetime.now(datetime.UTC)
            return Fetched(url, url, 0, {}, b"", now, why.reason, why.detail)

    def _tell(self):
        self.done = min(self.done + 1, self.total)
        if time.monotonic() - self.told > PROGRESS_SECONDS:
            self.told = time.monotonic()
            log.info("%s: %d of %d addresses asked", self.name, self.done, self.total)


def _address(row):
    """Where a feed is asked for first."""
    return "https" + row["feed_url"].removeprefix("http") if row["https_first"] else row["feed_url"]


async def _together(tasks):
    """Run them all side by side. The first error that a person can act on ends them and is raised alone."""
    try:
        async with asyncio.TaskGroup() as group:
            for task in tasks:
                group.create_task(task)
    except ExceptionGroup as failed:
        raise next(
            (error for error in failed.exceptions if isinstance(error, AssayError)), failed.exceptions[0]
        ) from None


def fetcher(crawl: dict, connect_to: dict | None, opted_out: Callable[[str], bool]) -> Fetcher:
    """What the section `crawl` of the configuration means: how we introduce ourselves, whom we may ask, how often."""
    return Fetcher(
        f"{AGENT} (+{crawl['contact']})" if crawl["contact"] else AGENT,
        allow_hosts=crawl["allow_hosts"],
        connect_to=connect_to,
        gap=crawl["seconds_between_requests"],
        own_gap=crawl["seconds_between_requests_own_hosts"],
        spacing_folder=crawl["spacing_folder"],
        opted_out=opted_out,
    )


@contextlib.contextmanager
def local_site(crawl: dict) -> Iterator[dict | None]:
    """Serve the configured articles with the configured server; where to connect for each of their hosts."""
    if not crawl["local_site"]:
        yield None
        return
    name = crawl["local_server"]
    try:
        server = importlib.import_module(name or "").LocalSite
    except (ImportError, AttributeError, ValueError) as error:
        raise AssayError(f"crawl.local_server: found {name!r}, expected a module with a class LocalSite") from error
    with server(crawl["local_site"]) as site:
        yield site.connect_to

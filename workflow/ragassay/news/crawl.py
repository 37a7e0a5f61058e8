"""Ask for the feeds and pages of one shard: who is asked for what, in which order. How is the fetcher's business.

Hosts are asked side by side, each for one thing after the other. What is already kept is not asked for again, but for
answers that may be otherwise the next time; those are tried again at the end, and a host that wanted to be left alone
gets some minutes before that. A host at which too much fails in a row is left in peace, and one that takes too long is
left to the next run, so that none holds up a crawl for ever. Does not read pages, nor choose them: see `candidates`.
"""

import asyncio
import datetime
import math
import time
import traceback
from collections import defaultdict
from collections.abc import Set
from urllib.parse import urlsplit

from ragassay.errors import AssayError
from ragassay.news import feed_child, pages
from ragassay.news.candidates import Candidates, Days, read, unread
from ragassay.news.fetcher import Fetched, Fetcher
from ragassay.news.kept import Answers
from ragassay.news.readers import Readers
from ragassay.stage import log

PAUSES = (0.0, 60.0, 600.0)  # before each try, for a host that wanted to be left alone
MOST_FAILURES = 10  # in a row at one host
PROGRESS_SECONDS = 30.0


class Crawl:
    """`readers` run `feed_child`; no host is asked for anything after `host_seconds`."""

    def __init__(
        self,
        fetcher: Fetcher,
        answers: Answers,
        readers: Readers,
        name: str,
        pauses: tuple[float, ...] = PAUSES,
        host_seconds: float = math.inf,
    ):
        self.fetcher, self.answers, self.readers = fetcher, answers, readers
        self.name, self.pauses, self.host_seconds = name, pauses, host_seconds
        self.spent = defaultdict(float)  # host -> seconds
        self.slow = {}  # host -> why nothing more is asked there
        self.done = self.total = 0
        self.told = time.monotonic()

    async def feeds(self, rows: list[dict], days: Days) -> Candidates:
        """Ask all feeds and read what they name; old addresses are tried under https first."""
        found = Candidates(days, self.fetcher.opted_out)
        secure = {row["feed_url"]: _secure(row["feed_url"]) for row in rows if row["https_first"]}
        await self.ask(list(secure.values()))
        told = self._read(secure.values())
        left = []
        for row in rows:
            url = secure.get(row["feed_url"])
            if url is None or told[url][0] == "dead":
                left.append(row)
            else:
                found.take(row, *told[url], self._is_own(url))
        await self.ask([row["feed_url"] for row in left])
        told = self._read(row["feed_url"] for row in left)
        for row in left:
            found.take(row, *told[row["feed_url"]], self._is_own(row["feed_url"]))
        return found

    def _is_own(self, url):
        """Whether a feed says what the user's own host says: it lies there, wherever it has moved."""
        kept = self.answers.own.get(url)
        return kept is not None and self.fetcher.is_own(url) and self.fetcher.is_own(kept.final_url)

    def _read(self, urls):
        """address -> what `Candidates.take` wants to know of the feed there"""
        told, answered = {}, []
        for url in urls:
            kept = self.answers.own.get(url)
            if self.fetcher.opted_out(url):  # perhaps since it was kept
                told[url] = "disallowed", "opted_out: on the list of opt-outs", []
            elif kept and kept.outcome == "ok":
                answered.append(kept)
            else:
                told[url] = unread(kept, self.not_asked(url)[1])
        replies = self.readers.read((kept.url, kept.body() or b"", _about(kept)) for kept in answered)
        return told | {url: read(reply) for url, reply in replies}

    async def ask(self, urls: list[str], foreign: Set[str] = frozenset()) -> None:
        """Have an answer for each address, but for those of hosts at which too much fails. To `foreign` ones, which
        others name, the user's own hosts are not open.
        """
        missing = [url for url in urls if (kept := self.answers.own.get(url)) is None or not kept.usable]
        self.done, self.total = len(urls) - len(missing), len(urls)
        known = self.answers.known(set(missing))
        for pause in self.pauses:
            hosts = defaultdict(list)
            for url in sorted(missing, key=lambda url: (url in self.answers.own, url)):  # new ones first
                hosts[urlsplit(url).hostname].append(url)
            await _together(self._ask_host(own, known, foreign, pause) for own in hosts.values())
            missing = [url for url in missing if (kept := self.answers.own.get(url)) is None or kept.passing]

    async def _ask_host(self, urls, known, foreign, pause):
        if any((kept := self.answers.own.get(url)) and kept.outcome == "put_off" for url in urls):
            await asyncio.sleep(pause)
        host, failures = urlsplit(urls[0]).hostname, 0
        begin = time.monotonic() - self.spent[host]
        for number, url in enumerate(urls):
            if time.monotonic() - begin >= self.host_seconds:
                self._leave(host, len(urls) - number)
                break
            old = known.get(url)
            old = old if old and old.body() is not None else None
            checks = (old.headers.get("etag"), old.headers.get("last-modified")) if old else ()
            answer = await self._fetch(url, *checks, named=url not in foreign)
            packed = await asyncio.to_thread(pages.packed, answer.body)  # as costly as all the rest
            kept = self.answers.keep(answer, old, packed)
            self._tell()
            failures = failures + 1 if kept.passing else 0
            if failures == MOST_FAILURES:
                log.info("%s: %s failed %d times in a row, the last time: %s", self.name, host, failures, kept.outcome)
                break
        self.spent[host] = time.monotonic() - begin

    def _leave(self, host, left):
        if host not in self.slow:
            self.slow[host] = f"{host} has taken the {self.host_seconds / 3600:.3g} hours of crawl.hours_per_host"
            log.info("%s: %s, %d of its addresses are not asked", self.name, self.slow[host], left)

    def not_asked(self, url: str) -> tuple[str, str]:
        """The reason and a detail for an address that has no answer."""
        if slow := self.slow.get(urlsplit(url).hostname):
            return "out_of_time", slow
        return "given_up", "too much else at its host failed in a row"

    async def _fetch(self, url, *checks, named):
        """An error of which nobody thought costs this address alone; what a person has to mend ends the crawl."""
        try:
            return await self.fetcher.fetch(url, *checks, named=named)
        except (AssayError, OSError):  # of our own files: what the network does is a class of its own
            raise
        except Exception as error:  # noqa: BLE001  told in the log, the ledger and the tables
            shown = traceback.format_exc().encode(errors="backslashreplace").decode()  # it may quote anything
            log.error("%s: %s raised\n%s", self.name, url, shown)
            now = datetime.datetime.now(datetime.UTC)
            return Fetched(url, url, 0, {}, b"", now, "crash", f"fetching it raised {error!r:.200}")

    def _tell(self):
        self.done = min(self.done + 1, self.total)
        if time.monotonic() - self.told > PROGRESS_SECONDS:
            self.told = time.monotonic()
            log.info("%s: %d of %d addresses asked", self.name, self.done, self.total)


async def _together(tasks):
    """Run them all side by side. The first error that a person can act on ends them, and comes out by itself."""
    try:
        async with asyncio.TaskGroup() as group:
            for task in tasks:
                group.create_task(task)
    except ExceptionGroup as failed:
        raise next((one for one in failed.exceptions if isinstance(one, AssayError)), failed.exceptions[0]) from None


def _about(kept):
    return [feed_child.FEED, kept.final_url, kept.headers.get("content-type", "")]


def _secure(url):
    return "https" + url.removeprefix("http") if url.startswith("http://") else url

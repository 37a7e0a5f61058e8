"""Ask for the feeds and pages of one shard: who is asked for what, in which order. How is the fetcher's business.

Hosts are asked side by side, each for one thing after the other. What is already kept is not asked for again, but for
answers that may be otherwise the next time; those are tried again at the end, and a host that wanted to be left alone
gets some minutes before that. A host at which too much fails in a row is left in peace. Does not read pages, nor choose
them: see `candidates`.
"""

import asyncio
import time
from collections import defaultdict
from urllib.parse import urlsplit

from ragassay.errors import AssayError
from ragassay.news import pages
from ragassay.news.candidates import Candidates, Days, read
from ragassay.news.fetcher import Fetcher
from ragassay.news.kept import Answers
from ragassay.stage import log

PAUSES = (0.0, 60.0, 600.0)  # before each try, for a host that wanted to be left alone
MOST_FAILURES = 10  # in a row at one host
PROGRESS_SECONDS = 30.0


class Crawl:
    def __init__(self, fetcher: Fetcher, answers: Answers, name: str, pauses: tuple[float, ...] = PAUSES):
        self.fetcher, self.answers, self.name, self.pauses = fetcher, answers, name, pauses
        self.done = self.total = 0
        self.told = time.monotonic()

    async def feeds(self, rows: list[dict], days: Days) -> Candidates:
        """Ask all feeds and read what they name; old addresses are tried under https first."""
        found = Candidates(days, self.fetcher.opted_out)
        secure = {row["feed_url"]: _secure(row["feed_url"]) for row in rows if row["https_first"]}
        await self.ask(list(secure.values()))
        left = []
        for row in rows:
            told = self._read(secure[row["feed_url"]]) if row["https_first"] else ("dead", "", [])
            if told[0] == "dead":
                left.append(row)
            else:
                found.take(row, *told)
        await self.ask([row["feed_url"] for row in left])
        for row in left:
            found.take(row, *self._read(row["feed_url"]))
        return found

    def _read(self, url):
        if self.fetcher.opted_out(url):  # perhaps since it was kept
            return "disallowed", "opted_out: on the list of opt-outs", []
        return read(self.answers.own.get(url))

    async def ask(self, urls: list[str]) -> None:
        """Have an answer for each address, but for those of hosts at which too much fails."""
        missing = [url for url in urls if (kept := self.answers.own.get(url)) is None or not kept.usable]
        self.done, self.total = len(urls) - len(missing), len(urls)
        known = self.answers.known(set(missing))
        for pause in self.pauses:
            hosts = defaultdict(list)
            for url in sorted(missing, key=lambda url: (url in self.answers.own, url)):  # new ones first
                hosts[urlsplit(url).hostname].append(url)
            await _together(self._ask_host(own, known, pause) for own in hosts.values())
            missing = [url for url in missing if (kept := self.answers.own.get(url)) is None or kept.passing]

    async def _ask_host(self, urls, known, pause):
        if any((kept := self.answers.own.get(url)) and kept.outcome == "put_off" for url in urls):
            await asyncio.sleep(pause)
        failures = 0
        for url in urls:
            old = known.get(url)
            old = old if old and old.body() is not None else None
            checks = (old.headers.get("etag"), old.headers.get("last-modified")) if old else ()
            answer = await self.fetcher.fetch(url, *checks)
            packed = await asyncio.to_thread(pages.packed, answer.body)  # as costly as all the rest
            kept = self.answers.keep(answer, old, packed)
            self._tell()
            failures = failures + 1 if kept.passing else 0
            if failures == MOST_FAILURES:
                host = urlsplit(url).hostname
                log.info("%s: %s failed %d times in a row, the last time: %s", self.name, host, failures, kept.outcome)
                return

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


def _secure(url):
    return "https" + url.removeprefix("http") if url.startswith("http://") else url

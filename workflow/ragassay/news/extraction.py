"""Extract articles from pages, each in a process that can be killed, whatever the page does to it.

Children are reused from page to page, since starting one takes a second; a page that takes too long, too much memory
or crashes its child becomes a reject and the child is replaced. Before a page is blamed for memory or a crash it gets a
second try, as the first page of a new child: the verdict then does not depend on what came before it. Time is the
processor's, so that a busy machine gives the same answers as an idle one; the clock only catches what sleeps.

The parent never parses: it hands bytes over and gets JSON back. Does not filter by date or language.
"""

import select
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ragassay.errors import AssayError
from ragassay.news.killable import Killable

AHEAD = 3  # pages with a child at any time
WAITING = 100  # results that may wait for an earlier page, for each child


class ExtractionError(AssayError):
    """Nothing can be extracted on this machine or with these settings."""


@dataclass(frozen=True)
class Article:
    """What a page says: its text in paragraphs, and what its head tells about it."""

    title: str | None
    text: str
    site_name: str | None
    canonical_url: str | None
    language: str
    confidence: float
    charset: str
    charset_source: str
    dates: dict[str, list[str]]


@dataclass(frozen=True)
class Reject:
    reason: str
    detail: str


@dataclass
class Page:
    """One page on its way."""

    number: int
    id: object
    body: bytes
    content_type: str | None
    url: str
    deaths: int = field(default=0)


class Extractor:
    """Use it as a context: on leaving it no child is left."""

    def __init__(self, workers: int = 1, seconds: float = 20, memory_mb: int = 1024):
        self.workers, self.seconds, self.memory_mb = workers, seconds, memory_mb
        self.children = []
        self.replaced = 0

    def __enter__(self):
        self.children = [Killable(self.seconds, self.memory_mb) for _ in range(self.workers)]
        return self

    def __exit__(self, *_):
        for child in self.children:
            child.close()
        self.children = []

    def extract(self, pages: Iterable[tuple[object, bytes, dict, str]]) -> Iterator[tuple[object, Article | Reject]]:
        """For pages of id, body, headers and address: each id with its article or reject, in the order of the pages."""
        coming = self._numbered(pages)
        results, given, taken = {}, 0, 0  # number -> (id, result); pages given to children, results given away
        while True:
            child = min(self.children, key=lambda child: len(child.todo))
            while len(child.todo) < AHEAD and given - taken < WAITING * self.workers:
                if not (page := next(coming, None)):
                    break
                given += 1
                child.give(page)
                child = min(self.children, key=lambda child: len(child.todo))
            if given == taken:
                return
            for page, result in self._replies():
                results[page.number] = page.id, result
            while taken in results:
                yield results.pop(taken)
                taken += 1

    @staticmethod
    def _numbered(pages):
        for number, (name, body, headers, url) in enumerate(pages):
            yield Page(number, name, body, headers.get("content-type"), url)

    def _replies(self):
        """Wait until a child says something, dies or hangs."""
        busy = [child for child in self.children if child.todo]
        poll = select.poll()
        for child in busy:
            poll.register(child.output, select.POLLIN)
            if child.unsent:
                poll.register(child.input, select.POLLOUT)
        patience = max(0, min(child.deadline for child in busy) - time.monotonic())
        events = dict(poll.poll(patience * 1000 + 1))
        for child in busy:
            if child.input in events:
                child.write()
            if child.output in events:
                for page, reply in child.read():
                    if reply:
                        yield page, _result(reply)
                    else:
                        yield from self._replace(child, page)
            else:
                child.kill_if_hung()

    def _replace(self, child, page):
        """A dead child's pages go to a new one, without the page that it died of, unless that deserves another try."""
        reason, detail = child.cause()
        if not child.ready:
            raise ExtractionError(
                f"the process that extracts pages did not start ({detail}); expected it to load within"
                f" {self.memory_mb} MB: raise memory_mb, or see its last words above"
            )
        left = list(child.todo)
        if page:
            page.deaths += 1
            if reason == "extraction_timeout" or page.deaths > 1:
                yield page, Reject(reason, detail)
            else:
                left.insert(0, page)
        child.start()
        self.replaced += 1
        for again in left:
            child.give(again)


def _result(reply):
    return Article(**reply["article"]) if "article" in reply else Reject(**reply)

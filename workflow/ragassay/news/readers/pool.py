"""Read documents from outside, each in a process that can be killed, whatever the document does to it.

Children are reused from document to document, since starting one takes a second; a document that takes too long, too
much memory or crashes its child gets that for an answer, and the child is replaced. Before a document is blamed for
memory or a crash it gets a second try, as the first of a new child: the verdict then does not depend on what came
before it. Time is the processor's, so that a busy machine gives the same answers as an idle one; the clock only catches
what sleeps.

The parent never parses: it hands bytes over and gets JSON back. What is read there is the business of the program.
"""

import select
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ragassay.base.errors import AssayError
from ragassay.news.readers.worker import Killable

AHEAD = 3  # documents with a child at any time
WAITING = 100  # results that may wait for an earlier document, for each child
DEATHS = ("timeout", "memory", "crash")  # reasons why a document has no other answer


class ReaderError(AssayError):
    """Nothing can be read on this machine or with these settings."""


@dataclass
class Document:
    """One document on its way."""

    number: int
    id: object
    body: bytes
    about: list
    deaths: int = field(default=0)


class Readers:
    """Use it as a context manager: on leaving it, no child process remains. `program` is a module that calls
    `child.main`.
    """

    def __init__(self, program: str, workers: int = 1, seconds: float = 20, memory_mb: int = 1024):
        self.program, self.workers, self.seconds, self.memory_mb = program, workers, seconds, memory_mb
        self.children = []
        self.replaced = 0

    def __enter__(self):
        self.children = [Killable(self.program, self.seconds, self.memory_mb) for _ in range(self.workers)]
        return self

    def __exit__(self, *_):
        for child in self.children:
            child.close()
        self.children = []

    def read(self, documents: Iterable[tuple[object, bytes, list]]) -> Iterator[tuple[object, dict]]:
        """For documents of id, body and what their program wants to know about them: each id with its reply, in the
        order of the documents. A reply holds `read`, or `reason` and `detail`.
        """
        coming = (Document(number, *document) for number, document in enumerate(documents))
        results, given, taken = {}, 0, 0  # number -> (id, reply); documents given to children, replies given away
        while True:
            child = min(self.children, key=lambda child: len(child.todo))
            while len(child.todo) < AHEAD and given - taken < WAITING * self.workers:
                if not (document := next(coming, None)):
                    break
                given += 1
                child.give(document)
                child = min(self.children, key=lambda child: len(child.todo))
            if given == taken:
                return
            for document, reply in self._replies():
                results[document.number] = document.id, reply
            while taken in results:
                yield results.pop(taken)
                taken += 1

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
                for document, reply in child.read():
                    if reply:
                        yield document, reply
                    else:
                        yield from self._replace(child, document)
            else:
                child.kill_if_hung()

    def _replace(self, child, document):
        """A dead child's documents go to a new one, but for the one that it died of, unless that gets another try."""
        reason, detail = child.cause()
        if not child.ready:
            raise ReaderError(
                f"the process that reads pages and feeds did not start ({detail}); expected it to load within"
                f" {self.memory_mb} MB: raise crawl.megabytes_per_page, or see its last words above"
            )
        left = list(child.todo)
        if document:
            document.deaths += 1
            if reason == "timeout" or document.deaths > 1:
                yield document, {"reason": reason, "detail": detail}
            else:
                left.insert(0, document)
        child.start()
        self.replaced += 1
        for again in left:
            child.give(again)

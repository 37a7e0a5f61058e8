"""Read documents from outside, each in a process that can be killed, whatever the document does to it.

Children are reused from document to document, since starting one takes a second; a document that takes too long, too
much memory or crashes its child gets that for an answer, and the child is replaced. Before a document is blamed for
memory or a crash it gets a second try, as the first of a new child: the verdict then does not depend on what came
before it. Time is the processor's, so that a busy machine gives the same answers as an idle one; the clock only catches
what sleeps.

The parent never parses: it hands bytes over and gets JSON back. What is read there is the business of the program.
Documents are sent ahead, so that a child finds the next one waiting; when it dies they come back in `todo`, first the
one that it died of. A child gets nothing of our environment but what it takes to start: no keys.
"""

import contextlib
import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.news import _worker_main

AHEAD = 3  # documents with a child at any time
WAITING = 100  # results that may wait for an earlier document, for each child
DEATHS = ("timeout", "memory", "crash")  # reasons why a document has no other answer
PIPE_BYTES = 1 << 20  # room for the next document while one is read
PIECE = 1 << 18
START_SECONDS = 120  # importing from a slow shared disk
WALL = 1.5  # seconds on the clock for each of the processor, before a child counts as hung
WORKFLOW = Path(_worker_main.__file__).resolve().parents[2]
# Where the interpreter and its libraries are, if not in their usual places.
PLACES = ("PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


class ReaderError(AssayError):
    """Nothing can be read on this machine or with these settings."""


@dataclass
class Delivery:
    """One document on its way: `todo` of the child that reads it."""

    number: int
    id: object
    body: bytes
    about: list
    deaths: int = field(default=0)


class Readers:
    """Use it as a context manager: on leaving it, no child process remains. `program` is a module that calls
    `worker_main.main`.
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
        coming = (Delivery(number, *document) for number, document in enumerate(documents))
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


class Killable:
    """A child as its parent sees it. Never blocks: `Readers` waits for all children at once."""

    def __init__(self, program: str, seconds: float, memory_mb: int):
        self.program, self.seconds, self.memory_mb = program, seconds, memory_mb
        self.process = None
        self.start()

    def start(self) -> None:
        """A new process; the old one, if there was one, is gone before."""
        self.close()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", self.program, str(self.seconds), str(self.memory_mb)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_environment(),
            bufsize=0,
        )
        self.input, self.output = self.process.stdin.fileno(), self.process.stdout.fileno()
        for end in (self.input, self.output):
            os.set_blocking(end, False)
            if hasattr(fcntl, "F_SETPIPE_SZ"):
                with contextlib.suppress(OSError):  # more than this user may have; smaller ones only cost time
                    fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self.ready, self.hung = False, False
        self.todo, self.unsent, self.received = deque(), deque(), bytearray()
        self.deadline = time.monotonic() + START_SECONDS

    def give(self, document) -> None:
        """Queue a document with `body` and `about`."""
        head = json.dumps(document.about).encode()
        self.unsent.append(memoryview(_worker_main.REQUEST.pack(len(head), len(document.body)) + head))
        self.unsent.append(memoryview(document.body))
        self.todo.append(document)
        self.write()

    def _begin(self):
        """Its time runs from the last sign of life: a reply that came, or a piece of a document that it took."""
        self.deadline = time.monotonic() + WALL * self.seconds

    def write(self) -> None:
        """Send what the pipe takes."""
        while self.unsent:
            if not self.unsent[0]:
                self.unsent.popleft()
                continue
            try:
                sent = os.write(self.input, self.unsent[0][:PIECE])
            except BlockingIOError:
                return
            except BrokenPipeError:
                self.unsent.clear()  # it is dead, and reading will say so
                return
            self.unsent[0] = self.unsent[0][sent:]
            if self.ready:
                self._begin()

    def read(self):
        """Yield documents with their replies; one comes with None if the child died of it, and (None, None) if it died
        of nothing that it was given.
        """
        over = self._receive()
        while len(self.received) >= _worker_main.REPLY.size:
            (length,) = _worker_main.REPLY.unpack_from(self.received)
            end = _worker_main.REPLY.size + length
            if len(self.received) < end:
                break
            reply = json.loads(self.received[_worker_main.REPLY.size : end])
            del self.received[:end]
            self._begin()
            if self.ready:
                yield self.todo.popleft(), reply
            self.ready = True
        if over:
            self.process.wait()
            yield (self.todo.popleft() if self.todo and self.ready else None), None

    def _receive(self):
        """Take what is there; whether it was the last."""
        try:
            while piece := os.read(self.output, PIECE):
                self.received += piece
        except BlockingIOError:
            return False
        return True

    def kill_if_hung(self) -> None:
        if (self.todo or not self.ready) and time.monotonic() > self.deadline:
            self.hung = True
            self.process.kill()

    def cause(self) -> tuple[str, str]:
        """Reason and detail of its death."""
        status = self.process.returncode
        if self.hung or status == -signal.SIGPROF:
            return "timeout", f"not done after {self.seconds:g} seconds"
        if status == _worker_main.OUT_OF_MEMORY:
            return "memory", f"not done within {self.memory_mb} MB"
        if status < 0:
            return "crash", f"the process ended by {signal.Signals(-status).name}"
        return "crash", f"the process ended with status {status}"

    def close(self) -> None:
        if self.process:
            self.process.kill()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait()
            self.process = None


def _environment():
    paths = filter(None, (str(WORKFLOW), os.environ.get("PYTHONPATH")))
    places = {name: os.environ[name] for name in PLACES if name in os.environ}
    same = {"PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return {**places, **same, "PYTHONPATH": os.pathsep.join(paths)}

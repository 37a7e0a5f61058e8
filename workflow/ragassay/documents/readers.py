"""Read documents from outside, each in a process that can be killed, whatever the document does to it. Children are
reused; one that takes too long, too much memory or crashes is replaced, and before a document is blamed it gets a
second try in a new child. Time is the processor's, so that a busy machine gives the same answers. A child gets
nothing of our environment: no keys."""

import itertools
import json
import os
import queue
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.documents import _worker_main

AHEAD = 3  # documents for each child that are held at any time
WAITING = 100  # results that may wait for an earlier document, for each child
DEATHS = ("timeout", "memory", "crash")  # reasons why a document has no other answer
TRIES = 2
START_SECONDS = 120  # importing from a slow shared disk
WALL = 1.5  # seconds on the clock for each of the processor, before a child counts as hung
WORKFLOW = Path(_worker_main.__file__).absolute().parents[2]
# Where the interpreter and its libraries are, if not in their usual places.
PLACES = ("PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


class ReaderError(AssayError):
    """Nothing can be read on this machine or with these settings."""


class Readers:
    """Use it as a context manager: on leaving it, no child process remains. `program` is a module that calls
    `worker_main.main`.
    """

    def __init__(self, program: str, workers: int = 1, seconds: float = 20, memory_mb: int = 1024):
        self.program, self.workers, self.seconds, self.memory_mb = program, workers, seconds, memory_mb
        self.children = []

    def __enter__(self):
        self.children = [Child(self.program, self.memory_mb) for _ in range(self.workers)]
        self.idle = queue.SimpleQueue()
        for child in self.children:
            self.idle.put(child)
        self.threads = ThreadPoolExecutor(max(self.workers, 1))
        return self

    def __exit__(self, *_):
        for child in self.children:
            child.stop()
        self.threads.shutdown(cancel_futures=True)
        for child in self.children:
            child.close()

    def read(
        self, documents: Iterable[tuple[object, bytes, list]], seconds: float | None = None
    ) -> Iterator[tuple[object, dict]]:
        """For documents of id, body and what their program wants to know about them: each id with its reply, in the
        order of the documents. A reply holds `read`, or `reason` and `detail`. No document gets more `seconds` than
        any has; fewer, if that is what they say.
        """
        seconds = self.seconds if seconds is None else min(seconds, self.seconds)
        coming = enumerate(documents)
        reading, replies, taken = set(), {}, 0  # replies: number -> (id, reply)
        while True:
            room = min(AHEAD * self.workers - len(reading), WAITING * self.workers - len(reading) - len(replies))
            for number, document in itertools.islice(coming, max(room, 0)):
                reading.add(self.threads.submit(self._reply, seconds, number, *document))
            if not reading:
                return
            done, reading = wait(reading, return_when=FIRST_COMPLETED)
            for future in done:
                number, name, reply = future.result()
                replies[number] = name, reply
            while taken in replies:
                yield replies.pop(taken)
                taken += 1

    def _reply(self, seconds, number, name, body, about):
        child = self.idle.get()
        try:
            return number, name, child.reply(body, about, seconds)
        finally:
            self.idle.put(child)


class Child:
    """A process as its parent sees it, one thread at a time."""

    def __init__(self, program: str, memory_mb: int):
        self.program, self.memory_mb = program, memory_mb
        self.process, self.stopped, self.replaced = None, False, 0
        self._start()

    def _start(self):
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", self.program, str(self.memory_mb)]
        with theirs:
            self.process = subprocess.Popen(command, stdin=theirs, stdout=theirs, env=_environment())
        self.socket, self.replies = ours, ours.makefile("rb")
        self.ready = self.hung = False
        if self.stopped:  # meanwhile
            self.process.kill()

    def reply(self, body: bytes, about: list, seconds: float) -> dict:
        """What the program says of a document, or which of DEATHS it died of."""
        for _ in range(TRIES):
            if (reply := self._ask(body, about, seconds)) is not None:
                return reply
            reason, detail = self._cause(seconds)
            if not self.ready:
                raise ReaderError(
                    f"the process that reads pages and feeds did not start ({detail}); expected it to load within"
                    f" {self.memory_mb} MB: for pages, raise crawl.megabytes_per_page; or see its last words above"
                )
            self.close()
            self._start()
            self.replaced += 1
            if reason == "timeout":
                break
        return {"reason": reason, "detail": detail}

    def _ask(self, body, about, seconds):
        """The reply, or None if the process has ended."""
        head = json.dumps(about).encode()
        try:
            if not self.ready:
                self.socket.settimeout(START_SECONDS)
                self._receive()
                self.ready = True
            self.socket.settimeout(WALL * seconds)
            self.socket.sendall(_worker_main.REQUEST.pack(len(head), len(body), seconds) + head)
            self.socket.sendall(body)
            return self._receive()
        except TimeoutError:
            self.hung = True
            self.process.kill()
        except (OSError, struct.error, ValueError):  # a reply that is missing or cut off
            pass
        self.process.wait()
        return None

    def _receive(self):
        (length,) = _worker_main.REPLY.unpack(self.replies.read(_worker_main.REPLY.size))
        return json.loads(self.replies.read(length))

    def _cause(self, seconds):
        """Reason and detail of its death."""
        status = self.process.returncode
        if self.hung or status == -signal.SIGPROF:
            return "timeout", f"not done after {seconds:g} seconds"
        if status == _worker_main.OUT_OF_MEMORY:
            return "memory", f"not done within {self.memory_mb} MB"
        if status < 0:
            return "crash", f"the process ended by {signal.Signals(-status).name}"
        return "crash", f"the process ended with status {status}"

    def stop(self) -> None:
        """End the process and start no other one; its thread may be waiting for it."""
        self.stopped = True
        self.process.kill()

    def close(self) -> None:
        """Give back what a process held that has ended."""
        self.process.wait()
        self.replies.close()
        self.socket.close()


def _environment():
    paths = filter(None, (str(WORKFLOW), os.environ.get("PYTHONPATH")))
    places = {name: os.environ[name] for name in PLACES if name in os.environ}
    same = {"PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return {**places, **same, "PYTHONPATH": os.pathsep.join(paths)}

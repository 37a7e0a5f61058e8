"""Read documents from outside, each in a process that can be killed, whatever the document does to it. Children are
reused; one that takes too long, too much memory or crashes is replaced, and before a document is blamed it gets a
second try in a new child. Time is the processor's, so that a busy machine gives the same answers. A child gets
nothing of our environment: no keys.

A child runs a program that calls `main`. It limits itself: address space for the process, processor time for each
document (SIGPROF). One that ran out of memory ends with OUT_OF_MEMORY, since it is not to be trusted with the next. A
message is two lengths and the seconds that it may take, a JSON list and a body; a reply is a length and JSON."""

import gc
import itertools
import json
import logging
import os
import queue
import resource
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

from ragassay.base.errors import CRASH, AssayError, Unusable, one_item

AHEAD = 3  # documents for each child that are held at any time
WAITING = 100  # results that may wait for an earlier document, for each child
DEATHS = ("timeout", "memory", "crash")  # reasons why a document has no other answer
TRIES = 2
START_SECONDS = 120  # importing from a slow shared disk
WALL = 1.5  # seconds on the clock for each of the processor, before a child counts as hung
WORKFLOW = Path(__file__).absolute().parents[2]
# Where the interpreter and its libraries are, if not in their usual places.
PLACES = ("PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
REQUEST, REPLY = struct.Struct(">IId"), struct.Struct(">I")
OUT_OF_MEMORY = 77
KILOBYTE, MEGABYTE = 1 << 10, 1 << 20
LARGE, RESERVE = MEGABYTE, 4  # a single allocation is a few times the page at most
STATUS = Path("/proc/self/status")


class ReaderError(AssayError):
    """Nothing can be read on this machine or with these settings."""


class Readers:
    """Use it as a context manager: on leaving it, no child process remains. `program` is a module that calls
    `main`.
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
            self.socket.sendall(REQUEST.pack(len(head), len(body), seconds) + head)
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
        (length,) = REPLY.unpack(self.replies.read(REPLY.size))
        return json.loads(self.replies.read(length))

    def _cause(self, seconds):
        """Reason and detail of its death."""
        status = self.process.returncode
        if self.hung or status == -signal.SIGPROF:
            return "timeout", f"not done after {seconds:g} seconds"
        if status == OUT_OF_MEMORY:
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


def main(loaded: Callable[[], Callable]) -> None:
    """Serve what `loaded` returns, once limits hold: a function of a body and what its message says about it."""
    memory_mb = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (memory_mb * MEGABYTE, memory_mb * MEGABYTE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no reply
    logging.disable(logging.CRITICAL)

    read = loaded()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # trees are freed by counting; looking for cycles in them finds little
    try:
        _send(replies, {"ready": True})
        while header := requests.read(REQUEST.size):
            length, size, seconds = REQUEST.unpack(header)
            details, body = json.loads(requests.read(length)), requests.read(size)
            if len(body) == size:
                _send(replies, _reply(read, body, details, seconds, memory_mb))
    except ConnectionError:  # the parent is gone
        os._exit(0)


def _reply(read, body, details, seconds, memory_mb):
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        with one_item():
            reply = {"read": read(body, *details)}
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except (AssayError, Unusable) as why:
        reply = {"reason": getattr(why, "reason", CRASH), "detail": str(why)}
    signal.setitimer(signal.ITIMER_PROF, 0)
    if (len(body) > LARGE or "read" not in reply) and _was_short(len(body), memory_mb):
        os._exit(OUT_OF_MEMORY)
    return reply


def _was_short(size, memory_mb):
    """Whether an allocation may have failed: the parser takes that for the end of the page, and says nothing."""
    if not STATUS.exists():
        return False
    peak = next(int(line.split()[1]) for line in STATUS.read_text().splitlines() if line.startswith("VmPeak:"))
    return peak * KILOBYTE + RESERVE * size > memory_mb * MEGABYTE


def _send(replies, value):
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    replies.write(REPLY.pack(len(data)) + data)
    replies.flush()

"""One child that reads documents, as its parent sees it: what it has to do, what it has answered, and how it ended.

Never blocks: the `pool` waits for all children at once. Documents are sent ahead, so that the child finds
the next one waiting; when it dies they come back in `todo`, first the one that it died of. A child gets
nothing of our environment but what it takes to start: no keys.
"""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

from ragassay.news.readers import worker_main

PIPE_BYTES = 1 << 20  # room for the next document while one is read
PIECE = 1 << 18
START_SECONDS = 120  # importing from a slow shared disk
WALL = 1.5  # seconds on the clock for each of the processor, before a child counts as hung
WORKFLOW = Path(worker_main.__file__).resolve().parents[3]


# Where the interpreter and its libraries are, if not in their usual places.
PLACES = ("PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


def _environment():
    paths = filter(None, (str(WORKFLOW), os.environ.get("PYTHONPATH")))
    places = {name: os.environ[name] for name in PLACES if name in os.environ}
    same = {"PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return {**places, **same, "PYTHONPATH": os.pathsep.join(paths)}


class Killable:
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
        self.unsent.append(memoryview(worker_main.REQUEST.pack(len(head), len(document.body)) + head))
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
        while len(self.received) >= worker_main.REPLY.size:
            (length,) = worker_main.REPLY.unpack_from(self.received)
            end = worker_main.REPLY.size + length
            if len(self.received) < end:
                break
            reply = json.loads(self.received[worker_main.REPLY.size : end])
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
        if status == worker_main.OUT_OF_MEMORY:
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

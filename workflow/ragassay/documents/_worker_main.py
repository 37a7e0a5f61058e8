"""What the programs share that read documents from outside, one after the other from standard input. Each limits
itself: address space for the process, processor time for each document (SIGPROF). One that ran out of memory ends
with OUT_OF_MEMORY, since it is not to be trusted with the next. A message is two lengths and
the seconds that it may take, a JSON list and a body; a reply is a length and JSON."""

import gc
import json
import logging
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable
from pathlib import Path

from ragassay.base.errors import CRASH, AssayError, Unusable, one_item

REQUEST, REPLY = struct.Struct(">IId"), struct.Struct(">I")
OUT_OF_MEMORY = 77
KILOBYTE, MEGABYTE = 1 << 10, 1 << 20
LARGE, RESERVE = MEGABYTE, 4  # a single allocation is a few times the page at most
STATUS = Path("/proc/self/status")


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

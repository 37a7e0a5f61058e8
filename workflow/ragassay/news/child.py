"""The program in which pages are read: one after the other from standard input, until it ends or has to be killed.

It limits itself, so that no page can take more: address space for the whole process, processor time for each page;
beyond that time the kernel ends it by SIGPROF. A page for which memory does not suffice ends it with OUT_OF_MEMORY,
because a process that has run out once is not to be trusted with the next page. All other errors of a page are replies.

A message is two lengths, a JSON value and a body; a reply is a length and a JSON value; the first says it is ready.
"""

import gc
import json
import logging
import os
import resource
import signal
import struct
import sys
from pathlib import Path

REQUEST, REPLY = struct.Struct(">II"), struct.Struct(">I")
OUT_OF_MEMORY = 77
KILOBYTE, MEGABYTE = 1 << 10, 1 << 20
LARGE, RESERVE = MEGABYTE, 4  # a single allocation is a few times the page at most
STATUS = Path("/proc/self/status")


def main(seconds: float, memory_mb: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory_mb * MEGABYTE, memory_mb * MEGABYTE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no reply
    logging.disable(logging.CRITICAL)

    from ragassay.news.languages import language_of
    from ragassay.news.reading import read_page

    language_of("The model is loaded now, not during the first page.")
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # trees are freed by counting; looking for cycles in them finds little
    send(replies, {"ready": True})
    while header := requests.read(REQUEST.size):
        length, size = REQUEST.unpack(header)
        content_type, url = json.loads(requests.read(length))
        body = requests.read(size)
        if len(body) < size:
            return  # the parent is gone
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            reply = {"article": read_page(body, content_type, url)}
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        except Exception as error:  # noqa: BLE001  a page may raise anything in a parser; it concerns that page alone
            reason = getattr(error, "reason", None)
            known = isinstance(reason, str) and hasattr(error, "detail")
            reply = {"reason": reason, "detail": error.detail} if known else _crash(error)
        signal.setitimer(signal.ITIMER_PROF, 0)
        if (size > LARGE or "article" not in reply) and _was_short(size, memory_mb):
            os._exit(OUT_OF_MEMORY)
        send(replies, reply)


def _was_short(size, memory_mb):
    """Whether an allocation may have failed: the parser takes that for the end of the page, and says nothing."""
    if not STATUS.exists():
        return False
    peak = next(int(line.split()[1]) for line in STATUS.read_text().splitlines() if line.startswith("VmPeak:"))
    return peak * KILOBYTE + RESERVE * size > memory_mb * MEGABYTE


def _crash(error):
    return {"reason": "extraction_crash", "detail": f"the extraction raised {type(error).__name__}"}


def send(replies, value) -> None:
    data = json.dumps(value).encode()
    try:
        replies.write(REPLY.pack(len(data)) + data)
        replies.flush()
    except BrokenPipeError:
        os._exit(0)  # the parent is gone


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))

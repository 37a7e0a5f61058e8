"""The guard server among hostile clients, while one honest client asks on: requests that are none, 10,000
connections that wait in four ways, bodies that never end, answers that nobody reads, bodies of 100 MB, bad tokens.
"""

import contextlib
import re
import resource
import socket
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

import hostile_clients as hostile
from common.figures import count, figure
from fitted import write_guards
from rag.guarding import serving

TOKEN, MOST_BYTES = "s3cret-token-of-the-siege", 4_000_000  # the settings' default
CONNECTIONS, BODIES, UNREAD, LARGE, TOKENS = 10_000, 100, 100, 20, 500
HONEST, BUSY = hostile.whole(hostile.RIGHT, token=TOKEN), 503


def besieging():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as name:
        guard = {"guard": {"file": str(write_guards(Path(name))["chain"])}}
        with serving(Path(name), guard, RAGASSAY_TOKEN=TOKEN) as (server, address), Asking(address) as honest:
            port = honest.port
            cases = hostile.requests(MOST_BYTES, TOKEN)
            passed = [name for name, case in cases.items() if not hostile.is_refused(*hostile.asked(port, case))]
            connections = _wait(port)
            sent = max(_sent_of_100_megabytes(port) for _ in range(LARGE))
            near, far = _tokens(port)
            memory = int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{server.pid}/status").read_text())[1]) / 1024
    sys.stderr.writelines(f"{line}\n" for line in [*passed, *honest.lost])
    count("guard_siege_bad_requests", len(cases), "requests")
    count("guard_siege_honest_requests", len(honest.seconds), "requests")
    count("guard_siege_honest_asked_again", honest.again, "requests")
    figure("guard_siege_let_through", len(passed), "requests", "== 0")
    figure("guard_siege_connections", connections, "connections", f">= {CONNECTIONS}")
    figure("guard_siege_sent_of_100_mb", sent, "MB", "<= 16")
    figure("guard_siege_near_token_over_far", near / far, "ratio", "<= 1.2")
    figure("guard_siege_honest_lost", len(honest.lost), "requests", "== 0")
    figure("guard_siege_honest_p99", statistics.quantiles(honest.seconds, n=100)[98], "s", "<= 5")
    figure("guard_siege_memory", memory, "MB", "<= 512")


class Asking(threading.Thread):
    """One honest client: a new connection for each request, one after another."""

    def __init__(self, address):
        super().__init__()
        self.port, self.over = int(address.rstrip("/").rpartition(":")[2]), threading.Event()
        self.lost, self.seconds, self.again = [], [], 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()

    def run(self):
        while not self.over.wait(0.01):
            begin = time.perf_counter()
            try:
                while (answer := hostile.asked(self.port, HONEST))[0] == BUSY:
                    self.again += 1  # as it was told to
                    time.sleep(0.1)
                status, reply = answer
            except OSError as error:
                status, reply = 0, repr(error)
            self.seconds.append(time.perf_counter() - begin)
            if status != 200:
                self.lost.append(f"honest: {status} {reply}")


def _wait(port):
    """How many connections were made, most of which the server has ended meanwhile."""
    begun = hostile.head(token=TOKEN, content_length=MOST_BYTES).encode()
    ways = {b"": CONNECTIONS, b"POST /guard HTTP/1.1\r\nhost: ": CONNECTIONS, begun: CONNECTIONS, HONEST: CONNECTIONS}
    waiting = [connection for way, number in ways.items() for connection in hostile.connected(port, number // 4, way)]
    waiting += hostile.connected(port, BODIES, begun + b" " * (MOST_BYTES - 1))
    for connection in hostile.connected(port, UNREAD):
        waiting.append(connection)
        connection.setblocking(False)
        with contextlib.suppress(OSError):  # until it can send no more
            while True:
                connection.sendall(HONEST * 20)
    for connection in waiting:
        connection.close()
    return len(waiting)


def _sent_of_100_megabytes(port):
    """Megabytes of a body without a length that can be sent until the server has ended the connection."""
    sent, piece = 0, b"100000\r\n%b\r\n" % bytes(1 << 20)
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.settimeout(60)
        with contextlib.suppress(ConnectionError):
            connection.sendall(hostile.head(token=TOKEN, transfer_encoding="chunked").encode())
            while sent < 100:
                connection.sendall(piece)
                sent += 1
    return sent


def _tokens(port):
    """Median seconds to refuse tokens that are wrong in their last character, and in all."""
    seconds = {TOKEN[:-1] + "x": [], "x" * len(TOKEN): []}
    for _ in range(TOKENS):
        for token, times in seconds.items():
            request, begin = hostile.whole(hostile.RIGHT, token=token), time.perf_counter()
            assert hostile.asked(port, request)[0] == 401
            times.append(time.perf_counter() - begin)
    return map(statistics.median, seconds.values())

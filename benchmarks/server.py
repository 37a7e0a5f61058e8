"""Measure the loopback server itself, so that what is measured against it is not the server's own slowness.

Replies a second and CPU of the server at no latency, beside a server that sends one fixed reply and reads nothing;
then how exactly a latency of 200 ms is kept with 64 requests in flight. The client writes ready bytes to sockets; of
three runs the best counts, since the machine may have other work.
"""

import asyncio
import json
import math
import multiprocessing
import resource
import statistics
import time

from common.figures import figure, finish
from loopback import Loopback

IN_FLIGHT = 64
BODY = json.dumps({"model": "loopback", "messages": [{"role": "user", "content": "word " * 120}], "n": 1}).encode()
HEAD = (
    "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer test-key\r\ncontent-type: application/json"
)
REQUEST = HEAD.encode() + f"\r\ncontent-length: {len(BODY)}\r\n\r\n".encode() + BODY
FIXED = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 700\r\n\r\n" + b"x" * 700


class Client(asyncio.Protocol):
    """Sends the request again as soon as its reply is complete."""

    left = 0  # requests still to send, over all clients
    open = 0
    times = []  # noqa: RUF012 - shared by all clients on purpose

    def connection_made(self, transport):
        Client.open += 1
        self.transport, self.needed = transport, 0
        self.ask()

    def ask(self):
        if Client.left:
            Client.left -= 1
            self.start = time.perf_counter()
            self.transport.write(REQUEST)
        else:
            self.transport.close()

    def connection_lost(self, error):
        Client.open -= 1

    def data_received(self, data):
        if not self.needed:  # the head comes in one piece
            head, _, data = data.partition(b"\r\n\r\n")
            self.needed = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        self.needed -= len(data)
        if not self.needed:
            Client.times.append(time.perf_counter() - self.start)
            self.ask()


async def load(port: int, requests: int) -> float:
    """Seconds that so many requests took."""
    Client.left, Client.times = requests, []
    start = time.perf_counter()
    for _ in range(IN_FLIGHT):
        await asyncio.get_running_loop().create_connection(Client, "127.0.0.1", port)
    while Client.open:
        await asyncio.sleep(0.01)
    return time.perf_counter() - start


class Fixed(asyncio.Protocol):
    """Answers whatever comes with the same bytes."""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.transport.write(FIXED)


def fixed(pipe):
    async def serve():
        listening = await asyncio.get_running_loop().create_server(Fixed, "127.0.0.1", 0)
        pipe.send(listening.sockets[0].getsockname()[1])
        while not pipe.poll():
            await asyncio.sleep(0.05)
        usage = resource.getrusage(resource.RUSAGE_SELF)
        pipe.send(usage.ru_utime + usage.ru_stime)

    asyncio.run(serve())


def bare(requests: int) -> tuple[float, float]:
    """Replies a second and seconds of CPU a reply of the server that does nothing."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=fixed, args=(theirs,))
    process.start()
    seconds = asyncio.run(load(ours.recv(), requests))
    ours.send("stop")
    cpu = ours.recv()
    process.join()
    return requests / seconds, cpu / requests


def port_of(server: Loopback) -> int:
    return int(server.base.rpartition(":")[2])


def main():
    requests = 20_000
    rate, cpu = bare(requests)
    with Loopback() as server:
        before = server.summary()["cpu_seconds"]
        seconds = min(asyncio.run(load(port_of(server), requests)) for _ in range(3))
        used = (server.summary()["cpu_seconds"] - before) / requests / 3
    figure("loopback_replies_per_cpu_second", 1 / used, "1/s", ">= 5000", 1 / cpu)
    figure("loopback_replies_per_second", requests / seconds, "1/s", ">= 5000", rate)
    runs = []
    with Loopback(latency=0.2) as server:
        for _ in range(3):
            seconds = asyncio.run(load(port_of(server), 1_000))
            times = sorted(Client.times)
            runs.append((seconds, statistics.median(times) * 1000, times[int(0.99 * len(times))] * 1000))
    seconds, median, late = map(min, zip(*runs, strict=True))
    figure("loopback_latency_of_200_ms_median", median, "ms", "<= 204", 200)
    figure("loopback_latency_of_200_ms_99th", late, "ms", "<= 220", 200)
    figure("loopback_1000_calls_64_in_flight", seconds, "s", "<= 3.4", math.ceil(1_000 / IN_FLIGHT) * 0.2)
    finish()


if __name__ == "__main__":
    main()

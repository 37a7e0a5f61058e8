"""Let a thousand hostile servers, name servers and URLs loose on the fetcher: no private connection, little memory, no
case that takes long, each in the class that it belongs to. What bodies come are read as feeds and as pages.

`python benchmarks/hostile.py 100 10` runs a tenth with a limit of 10 seconds per fetch instead of 30. Connections are
counted twice: by the victims, servers on this machine that nobody may come to, and by Python's own audit of all
connections of this process, which also sees those to addresses where nobody listens. Public addresses lead to the
hostile server instead, so nothing leaves the machine.
"""

import asyncio
import socket
import sys
import tempfile
import time
from dataclasses import replace

from attackers.cases import Case, NameServer, cases, connections
from attackers.server import running
from common.figures import figure, finish
from common.memory import peak_megabytes

AGENT = "ragassay/0.1 (+https://ragassay.example/contact)"

from attackers.reading import Reading
from ragassay.news.fetching.addresses import FetchLimits, ip_address, public
from ragassay.news.fetching.fetcher import Fetcher

CONCURRENCY = 100
SLACK = 5.0  # a case may take so much longer than its fetch: waiting for its turn, for robots.txt, for the processor


class Suite:
    def __init__(self, ports: dict, closed: int, seconds: float, reading: Reading):
        self.ports, self.seconds, self.reading = ports, seconds, reading
        self.harmless = {ports["server"], ports["full"], closed}
        self.intruded = []  # addresses that were connected to or were to be, and should not have been
        self.blocked = 0.0  # the longest time for which one case kept all others from going on
        self.wrong, self.longest = [], 0.0
        sys.addaudithook(self.audit)

    def audit(self, event, details):
        if event == "socket.connect":
            host, port = details[1][:2]
            if host != "127.0.0.1" or port not in self.harmless:
                self.intruded.append(f"{host} {port}")

    async def connect(self, host, port, **options):
        if port not in self.harmless:
            if not public(ip_address(host)):
                self.intruded.append(f"{host} {port}")
            host, port = "127.0.0.1", self.ports["server"]
        return await asyncio.open_connection(host, port, **options)

    async def run(self, found: list[Case], connect_to: dict, folder: str):
        limits = FetchLimits()
        if self.seconds != limits.total_seconds:
            shares = {"connect_seconds": self.seconds / 3, "robots_seconds": self.seconds / 2}
            limits = replace(limits, total_seconds=self.seconds, **shares)
        fetcher = Fetcher(
            AGENT,
            allow_hosts=["own.test"],  # a victim, to which strangers lead
            connect_to=connect_to,
            gap=0.05,
            own_gap=0.01,
            limits=limits,
            spacing_folder=folder,
            resolve=NameServer(),
            open_connection=self.connect,
        )
        turns = asyncio.Semaphore(CONCURRENCY)
        async with fetcher:
            watch = asyncio.create_task(self.watch())
            await asyncio.gather(*(self.one(case, fetcher, turns) for case in found))
            watch.cancel()

    async def one(self, case, fetcher, turns):
        async with turns:
            start = time.monotonic()
            for _ in range(case.fetches):
                fetched = await fetcher.fetch(case.url)
            seconds = time.monotonic() - start
        self.longest = max(self.longest, seconds)
        if fetched.outcome == "ok":
            self.reading.keep(case, fetched, seconds)
        if not case.as_expected(fetched.outcome):
            told = f"{fetched.outcome}, not {case.expected}: {fetched.detail}"
            self.wrong.append(f"{case.host} {case.url[:100]}: {told}")

    async def watch(self):
        while True:
            start = time.monotonic()
            await asyncio.sleep(0.01)
            self.blocked = max(self.blocked, time.monotonic() - start - 0.01)


def main(count: int = 1000, seconds: float = 30.0):
    with (
        running(seconds) as servers,
        tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder,
        socket.socket() as unused,
    ):
        unused.bind(("127.0.0.1", 0))  # and nobody listens
        ports, closed = servers.ports, unused.getsockname()[1]
        found = cases(count, ports["victims"])
        reading = Reading(folder)
        suite = Suite(ports, closed, seconds, reading)
        asyncio.run(suite.run(found, connections(found, ports, closed), folder))
        reading.read()
        visits = servers.visits()
    for line in suite.wrong + reading.wrong + suite.intruded:
        sys.stderr.write(f"{line}\n")
    figure("hostile_cases", len(found), "cases", f">= {count}")
    figure("hostile_wrong_class", len(suite.wrong), "cases", "== 0")
    figure("hostile_bodies_read", len(reading.waiting), "bodies", "> 0")
    figure("hostile_wrong_reading", len(reading.wrong), "bodies", "== 0")
    figure("hostile_private_connections", visits + len(suite.intruded), "connections", "== 0")
    figure("hostile_longest_case", max(suite.longest, reading.longest), "s", f"<= {seconds + SLACK:g}", seconds)
    figure("hostile_memory", peak_megabytes(), "MB", "< 512")
    figure("hostile_reading_memory", reading.megabytes, "MB", "< 512")
    figure("hostile_longest_block", suite.blocked, "s", "<= 5")
    finish()


if __name__ == "__main__":
    main(*(kind(text) for kind, text in zip((int, float), sys.argv[1:], strict=False)))

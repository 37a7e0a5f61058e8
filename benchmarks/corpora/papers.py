"""Many small newspapers on loopback addresses, for crawls: each has a feed, pages, and a note of all who asked.

Host number n stands at 127.0.x.y on a port of its own. Answers carry an ETag, and what has not changed is not sent
again. As a program it serves until its standard input ends; each line there is answered with a line of JSON: all
requests since the last one.
"""

import asyncio
import contextlib
import json
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

TOPICS = ("business", "food", "news", "sport")
DATE = format_datetime(datetime(2026, 10, 15, 12, tzinfo=UTC), usegmt=True)
POOL = 100  # paragraphs, which pages take in turn
CRAWL = {  # settings of a crawl of them
    "contact": None, "topics": TOPICS, "allow_hosts": [], "local_site": None, "local_server": "demo.site_server",
    "opt_outs": None, "pages_per_document": 1, "seconds_between_requests": 2, "seconds_between_requests_own_hosts": 0.0,
    "hours_per_host": 4, "hours_per_shard": 10, "seconds_per_page": 20, "megabytes_per_page": 1024,
}  # fmt: skip
DAYS = {"first_day": "2026-10-01", "last_day": "2026-10-31"}


def feed(url: str, topic: str, **other) -> dict:
    """A row of the table feeds."""
    none = dict.fromkeys(("language", "country", "rank", "main", "source_hash"))
    own = {"feed_url": url, "topic": topic, "listed_topic": topic, "https_first": False, "source": "config"}
    return none | own | other


def address(number: int) -> str:
    return f"127.0.{number // 200}.{number % 200 + 2}"


@dataclass
class Request:
    """Moments are seconds since 1970: when somebody came, and when the answer was to be sent."""

    host: str
    path: str
    begin: float
    end: float
    status: int
    body_bytes: int


class Server:
    def __init__(self, hosts: int, pages: int, seconds: float, size: int):
        self.hosts, self.pages, self.seconds = hosts, pages, seconds
        dice = random.Random(0)
        self.paragraphs = [f"<p>{dice.randbytes(size // 10).hex(' ', -4)}</p>\n" for _ in range(POOL)]
        self.requests, self.served, self.bases = [], [], []

    async def start(self):
        for number in range(self.hosts):
            server = await asyncio.start_server(self.serve, address(number), 0, backlog=100)
            self.served.append(server)
            self.bases.append("http://{}:{}".format(*server.sockets[0].getsockname()))

    async def serve(self, reader, writer):
        begin = time.time()
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in lines if line)
            path, base = first.split(" ")[1], f"http://{headers['host']}"
            body = self.body(path, base)
            etag = f'"{path}-{len(body or "")}"'
            status = 404 if body is None else 304 if headers.get("if-none-match") == etag.lower() else 200
            sent = body.encode() if status == 200 else b""
            await asyncio.sleep(self.seconds)
            head = f"HTTP/1.1 {status} So\r\ncontent-length: {len(sent)}\r\netag: {etag}\r\n"
            end = time.time()  # the other side may have it before this one goes on
            writer.write(f"{head}content-type: text/{'xml' if 'feed' in path else 'html'}\r\n\r\n".encode() + sent)
            await writer.drain()
            self.requests.append(Request(headers["host"], path, begin, end, status, len(sent)))
        writer.close()

    def body(self, path, base):
        """The text at a path: a feed, or one of the pages /0 to /n; nothing else is there, no robots.txt either."""
        if path == "/feed":
            items = (f"<item><link>{base}/{n}</link><pubDate>{DATE}</pubDate></item>" for n in range(self.pages))
            return f'<?xml version="1.0"?><rss version="2.0"><channel>{"".join(items)}</channel></rss>'
        if path[1:].isdecimal() and int(path[1:]) < self.pages:
            text = "".join(random.Random(f"{base}{path}").sample(self.paragraphs, 4))
            return f"<html><head><title>{path}</title></head><body>\n<h1>{base}{path}</h1>\n{text}</body></html>"
        return None


class Papers:
    """`with Papers(hosts, pages) as papers:` serves in a process of its own until the block ends."""

    def __init__(self, hosts: int, pages: int, seconds: float = 0.0, size: int = 1000):
        self.told = [str(value) for value in (hosts, pages, seconds, size)]

    def __enter__(self):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen([sys.executable, str(Path(__file__).resolve()), *self.told], **pipes)
        self.bases = json.loads(self.process.stdout.readline())
        return self

    def __exit__(self, *_):
        self.process.communicate()

    @property
    def hosts(self) -> list[str]:
        return [base.removeprefix("http://") for base in self.bases]

    @property
    def feeds(self) -> list[dict]:
        """Rows of the table feeds."""
        sites = [base.removeprefix("http://").partition(":")[0] for base in self.bases]
        return [
            feed(f"{base}/feed", TOPICS[number % len(TOPICS)], site=sites[number])
            for number, base in enumerate(self.bases)
        ]

    def asked(self) -> list[Request]:
        """What was asked for since the last call, in order."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return sorted((Request(*row) for row in json.loads(self.process.stdout.readline())), key=lambda r: r.begin)


def gaps(requests: list[Request]) -> list[float]:
    """From the end of each request at a host to the beginning of the next one there."""
    last, found = {}, []
    for request in sorted(requests, key=lambda request: request.begin):
        if request.host in last:
            found.append(request.begin - last[request.host])
        last[request.host] = request.end
    return found


async def main(hosts, pages, seconds, size):
    server = Server(int(hosts), int(pages), float(seconds), int(size))
    await server.start()
    told, loop = server.bases, asyncio.get_running_loop()
    while True:
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
        if not await loop.run_in_executor(None, sys.stdin.readline):
            return
        asked, server.requests = server.requests, []
        told = [list(vars(request).values()) for request in asked]


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

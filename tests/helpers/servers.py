"""Servers on loopback: one that plays a provider, with the ways in which tests talk to it, and one that answers with
prepared bytes and notes who asked for what and when.
"""

import asyncio
import atexit
import contextlib
import functools
import http.client
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import Future
from pathlib import Path

import openai

from ragassay.news.fetching.fetcher import Fetcher
from tools.loopback import Loopback

MESSAGES = [{"role": "user", "content": "Is the harbour open?"}]
BODY = {"model": "loopback", "messages": MESSAGES}


LOOPBACKS = Path(__file__).with_name("loopbacks.py")


class Fork:
    """A loopback server, with what is used of subprocess.Popen."""

    def __init__(self, *task):
        (theirs, mine), (output, told) = os.pipe(), os.pipe()
        socket.send_fds(_forking(), [json.dumps(task).encode()], [theirs, told])
        self.number = int(_forking().recv(20))
        os.close(theirs)
        os.close(told)
        self.stdin, self.stdout = os.fdopen(mine, "wb"), os.fdopen(output, "rb")

    def kill(self):
        os.kill(self.number, signal.SIGKILL)

    def wait(self):
        self.stdout.read()  # to its end


@functools.cache
def _forking() -> socket.socket:
    """Leads to the process that forks servers (see `loopbacks`), which ends with this one."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, LOOPBACKS, str(there.fileno())]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # whatever a test has set
    process = subprocess.Popen(command, pass_fds=[there.fileno()], env=environment)
    there.close()
    for end in (here.close, process.wait, process.kill):  # from the last to the first
        atexit.register(end)
    return here


class Served(Loopback):
    def start(self):
        return Fork(self.behaviour, str(self.path), sys.path)

    def openai(self, **settings):
        client = openai.OpenAI(base_url=self.url, api_key=settings.pop("key", self.key), max_retries=0, **settings)
        return contextlib.closing(client)

    def chat(self, **body):
        """One chat completion by the official client."""
        with self.openai() as client:
            return client.chat.completions.create(**{**BODY, **body})

    def post(self, body=BODY, path="/v1/chat/completions", **headers):
        """Status, headers and JSON of a plain request."""
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json", **headers}
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        with contextlib.closing(connection):
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            connection.request("POST", path, content, headers)
            reply = connection.getresponse()
            return reply.status, dict(reply.headers), json.loads(reply.read())

    def raw(self, *sent: bytes, timeout=None) -> bytes:
        """Everything that comes back on one connection until the server closes it, or `timeout` seconds if there is one
        have gone.
        """
        received = b""
        connect = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        with connect as connection, contextlib.suppress(TimeoutError, ConnectionResetError):
            for piece in sent:
                connection.sendall(piece)
            while piece := connection.recv(65_536):
                received += piece
        return received

    @property
    def port(self) -> int:
        return int(self.base.rpartition(":")[2])


def request(body=BODY, key="test-key", headers="") -> bytes:
    """The bytes of a chat request."""
    content = json.dumps(body).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n{headers}"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


@contextlib.contextmanager
def waiting(server):
    """A request whose reply nobody reads."""
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(request())
        yield


AGENT = "ragassay/0.1 (+https://ragassay.example/contact)"
NOT_FOUND = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"


def answer(body=b"", status="200 OK", **headers) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def moved(location: str, status="302 Found") -> bytes:
    return answer(status=status, location=location)


class Web:
    """`pages` maps paths, or `host/path`, to answers; one that is a function gets the headers of the request."""

    def __init__(self, pages=None, seconds: float = 0.0, tls=None):
        self.pages, self.seconds, self.tls = {} if pages is None else pages, seconds, tls
        self.open = set()  # tasks that answer
        self.asked, self.headers, self.trace = [], [], []  # paths, headers, (host, begin, end) of each request

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=self.tls)
        self.port = self.server.sockets[0].getsockname()[1]
        self.end = f"127.0.0.1:{self.port}"
        self.folder = tempfile.TemporaryDirectory()
        return self

    async def __aexit__(self, *_):
        self.folder.cleanup()
        self.server.close()
        await self.server.wait_closed()
        for task in self.open:
            task.cancel()
        await asyncio.gather(*self.open, return_exceptions=True)
        await asyncio.sleep(0.005)  # the loop drops the last connections

    async def serve(self, reader, writer):
        begin = time.monotonic()
        self.open.add(asyncio.current_task())
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await self.answer(begin, reader, writer)
        finally:
            writer.transport.abort()
            self.open.discard(asyncio.current_task())

    async def answer(self, begin, reader, writer):
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
        path, headers = first.split(" ")[1], dict(line.lower().split(": ", 1) for line in lines)
        self.asked.append(path)
        self.headers.append(headers)
        page = self.pages.get(f"{headers['host']}{path}") or self.pages.get(path, NOT_FOUND)
        await asyncio.sleep(self.seconds)
        self.trace.append((headers["host"], begin, time.monotonic()))
        writer.write(page(headers) if callable(page) else page)
        writer.close()
        await writer.wait_closed()

    def gaps(self, host="site.test") -> list[float]:
        """From the end of each request to the beginning of the next one."""
        times = sorted((begin, end) for name, begin, end in self.trace if name == host)
        return [begin - end for (_, end), (begin, _) in itertools.pairwise(times)]

    def fetcher(self, *hosts, **settings) -> Fetcher:
        hosts = hosts or ("site.test",)
        usual = {"user_agent": AGENT, "connect_to": dict.fromkeys(hosts, self.end), "own_gap": 0.0}
        if "spacing_folder" not in settings:
            usual["spacing_folder"] = tempfile.mkdtemp(dir=self.folder.name)
        return Fetcher(**{**usual, **settings})

    def strangers(self) -> dict:
        """Settings by which 127.0.0.1 is the user's own host, and all names are those of others, served here too."""

        async def resolve(host, port):
            return ["8.8.8.8"]

        async def connect(host, port, **options):
            return await asyncio.open_connection("127.0.0.1", self.port, **options)

        hosts = {"connect_to": {}, "allow_hosts": ["127.0.0.1"]}
        return {**hosts, "resolve": resolve, "open_connection": connect, "gap": 0.0}


@contextlib.contextmanager
def serving(pages):
    """The base of a site that is served by a thread until the block ends."""
    started = Future()

    async def serve():
        stop = asyncio.Event()
        async with Web(pages) as web:
            started.set_result((asyncio.get_running_loop(), stop, web.end))
            await stop.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    loop, stop, end = started.result()
    try:
        yield f"http://{end}"
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


def fetch(pages, url="http://site.test/", hosts=(), etag=None, modified=None, seconds=0.0, tls=None, **settings):
    """One fetch of one page of a site, or of several pages, one after the other; what came of it, and the server."""

    async def run():
        async with Web(pages, seconds, tls) as web, web.fetcher(*hosts, **settings) as fetcher:
            if isinstance(url, str):
                return await fetcher.fetch(url, etag, modified), web
            return [await fetcher.fetch(each) for each in url], web

    return asyncio.run(run())

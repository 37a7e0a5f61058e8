"""HTTP/1.1 as the loopback server needs it, on asyncio's protocols: requests in, replies out, and replies spoilt on
purpose, which no web framework would send.

Keeps connections open, takes bodies with a content length or in chunks, and answers pipelined requests in turn. No
TLS, no compression, no `Expect: 100-continue`. A reply is due so long after its request came, whatever it took to make
it; the loop's own timer is up to a millisecond late.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass

STATUS = {200: "OK", 302: "Found", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 409: "Conflict"}
STATUS |= {413: "Content Too Large", 422: "Unprocessable Content", 429: "Too Many Requests"}
STATUS |= {500: "Internal Server Error", 503: "Service Unavailable"}
PAGE = b"<html><body><h1>Bad gateway</h1></body></html>\n"
PIECES = 20
MOST_HEAD = 65_536


@dataclass(slots=True)
class Request:
    method: str
    path: str
    query: str
    headers: dict  # name in lower case -> value
    body: bytes


@dataclass(slots=True)
class Reply:
    status: int
    body: bytes
    headers: dict | None = None
    kind: str = "application/json"
    seconds: float = 0.0  # to wait before the first byte
    wire: str = ""  # a name of loopback_behaviour.WIRE
    slow_seconds: float = 0.0
    ended: Callable[[bool, int], None] | None = None  # called once: sent in full or not, bytes of the body

    def head(self, size: int) -> bytes:
        extra = "".join(f"{name}: {value}\r\n" for name, value in (self.headers or {}).items())
        return (
            f"HTTP/1.1 {self.status} {STATUS.get(self.status, 'Error')}\r\ncontent-type: {self.kind}\r\n"
            f"content-length: {size}\r\n{extra}\r\n"
        ).encode("latin-1")


class Refused(Exception):
    """The request gets an error instead of what it asked for, in the shape that OpenAI gives its errors."""

    def __init__(self, status, message, kind="invalid_request_error", code=None, param=None, headers=None):
        super().__init__(message)
        self.status, self.code, self.headers = status, code, headers
        self.body = {"error": {"message": message, "type": kind, "param": param, "code": code}}

    def reply(self) -> Reply:
        return Reply(self.status, json.dumps(self.body).encode(), self.headers)


class Connection(asyncio.Protocol):
    """One connection; `handle` makes a reply of each request."""

    def __init__(self, handle: Callable[[Request], Reply]):
        self.handle = handle
        self.loop = asyncio.get_running_loop()
        self.buffer = bytearray()
        self.request = self.needed = None  # a request whose head has come, and the length of its body; None is chunked
        self.reply = self.timer = None  # what is being answered
        self.sent = 0

    def connection_made(self, transport):
        self.transport = transport
        transport.set_write_buffer_limits(high=0)  # so that pause and resume say when everything is with the kernel
        self.paused = False

    def pause_writing(self):
        self.paused = True

    def resume_writing(self):
        self.paused = False
        if self.reply and self.sent == len(self.reply.body):
            self.done(True)

    def connection_lost(self, error):
        self.done(False)
        self.buffer.clear()

    def data_received(self, data):
        self.buffer += data
        self.next()

    def next(self):
        """Answer the next request, if it is complete and the one before is answered."""
        if self.reply or self.transport.is_closing() or not self.buffer:
            return
        came = self.loop.time()
        try:
            request = self.complete_request()
        except ValueError as error:
            self.transport.write(Refused(400, f"this is not HTTP: {error}").reply().head(0))
            self.transport.close()
            return
        if request:
            self.close_after = request.headers.get("connection", "").lower() == "close"
            self.reply, self.sent = self.handle(request), 0
            if self.reply.wire != "hang":
                if self.reply.seconds > 0:
                    self.timer = self.loop.call_at(came + self.reply.seconds, self.send)
                else:
                    self.send()

    def complete_request(self) -> Request | None:
        if self.request is None:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                if len(self.buffer) > MOST_HEAD:
                    raise ValueError("the head is too long")
                return None
            self.request = head(self.buffer[:end].decode("latin-1"))
            del self.buffer[: end + 4]
            chunked = "chunked" in self.request.headers.get("transfer-encoding", "")
            self.needed = None if chunked else int(self.request.headers.get("content-length", 0))
        if self.needed is None:
            found = chunks(self.buffer)
            if found is None:
                return None
            self.request.body, used = found
        elif len(self.buffer) < self.needed:
            return None
        else:
            self.request.body, used = bytes(self.buffer[: self.needed]), self.needed
        del self.buffer[:used]
        request, self.request = self.request, None
        return request

    def send(self):
        reply = self.reply
        self.timer = None
        if reply.wire in ("abort", "drop"):
            self.transport.abort()
        elif reply.wire in ("cut", "cut_short"):
            half = reply.body[: len(reply.body) // 2]
            self.sent = len(half)
            self.transport.write(reply.head(len(reply.body if reply.wire == "cut" else half)) + half)
            if reply.wire == "cut":
                self.transport.close()
            else:
                self.done(False)
        elif reply.wire == "html":
            reply.kind = "text/html"
            self.transport.write(reply.head(len(PAGE)) + PAGE)
            self.done(False)
        elif reply.wire == "slow":
            self.transport.write(reply.head(len(reply.body)))
            self.trickle()
        else:
            self.transport.write(reply.head(len(reply.body)) + reply.body)
            self.sent = len(reply.body)
            if not self.paused:
                self.done(True)

    def trickle(self):
        piece = self.reply.body[self.sent : self.sent + len(self.reply.body) // PIECES + 1]
        self.sent += len(piece)
        self.transport.write(piece)
        if self.sent < len(self.reply.body):
            self.timer = self.loop.call_later(self.reply.slow_seconds / PIECES, self.trickle)
        elif not self.paused:
            self.done(True)

    def done(self, whole: bool):
        if self.timer:
            self.timer.cancel()
            self.timer = None
        reply, self.reply = self.reply, None
        if reply and reply.ended:
            reply.ended(whole, self.sent)
        if reply and self.close_after:
            self.transport.close()
        elif self.buffer:
            self.loop.call_soon(self.next)


def head(text: str) -> Request:
    """The head of a request."""
    first, *lines = text.split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise ValueError(f"found {first[:80]!r}, expected a method, a path and HTTP/1.1")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    path, _, query = words[1].partition("?")
    return Request(words[0], path, query, headers, b"")


def chunks(buffer: bytearray) -> tuple[bytes, int] | None:
    """A chunked body and how much of the buffer it took; None while the rest is on its way."""
    body, at = bytearray(), 0
    while (end := buffer.find(b"\r\n", at)) >= 0:
        size = int(buffer[at:end].split(b";")[0], 16)
        if len(buffer) < end + 2 + size + 2:
            return None
        body += buffer[end + 2 : end + 2 + size]
        at = end + 2 + size + 2
        if size == 0:
            return bytes(body), at
    return None

"""One request on one connection of its own, to an address that was vetted before; h11 reads the protocol. Everything
that comes is counted: bytes, headers, interim answers, parts of the body, which is read only where it is wanted."""

import asyncio
import contextlib
import ssl
import zlib
from dataclasses import dataclass
from functools import cached_property

import h11

from ragassay.news.fetching.addresses import Failed, FetchLimits, Target

TYPES = "text/html,application/xhtml+xml,application/rss+xml,application/atom+xml,application/xml;q=0.9,*/*;q=0.5"
SMALL = 512 * 1024  # longer bodies take turns, so that hundreds of connections together stay small
WANTED = {200, 203}
WINDOW = {"gzip": 31, "x-gzip": 31, "deflate": 15}
ACCEPTED = "gzip, deflate"
PIECE = 64 * 1024
MEMBERS = 1000  # gzip members in one body; an honest one has one


@dataclass(frozen=True)
class HttpAnswer:
    status: int
    headers: dict[str, str]  # lower-case names; several of one name are joined by commas
    body: bytes
    wire_bytes: int  # of the body, as they came


class Exchange:
    """What the exchanges of one fetcher share."""

    def __init__(self, limits: FetchLimits, open_connection=asyncio.open_connection, large: int = 12):
        self.limits, self.open_connection = limits, open_connection
        self.large = asyncio.Semaphore(large)

    @cached_property
    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    async def ask(self, target: Target, ends: list, headers: dict[str, str], cap: int, cut: bool, see) -> HttpAnswer:
        """The answer at one of the `ends`, (address, port). A body above the cap fails or, if `cut`, ends there. `see`
        is told status and headers before the body is read.
        """
        reader, writer = await self._connect(target, ends)
        try:
            wire = Wire(reader, self.limits, cap)
            writer.write(wire.request(target, headers))
            status, fields = await wire.head()
            see(status, fields)
            if status not in WANTED:
                return HttpAnswer(status, fields, b"", 0)
            decoder = BodyDecoder(fields.get("content-encoding", ""), self.limits, cap)
            try:
                await self._body(wire, decoder)
            except Failed as failed:
                if not cut or failed.outcome != "too_large":
                    raise
            return HttpAnswer(status, fields, bytes(decoder.body[:cap]), decoder.encoded)
        finally:
            writer.transport.abort()  # no closing handshake that the other side could draw out

    async def _body(self, wire, decoder):
        async with contextlib.AsyncExitStack() as stack:
            waiting = True
            while (data := await wire.part()) is not None:
                decoder.feed(data)
                if waiting and len(decoder.body) > SMALL:
                    waiting = False
                    await stack.enter_async_context(self.large)
            decoder.end()

    async def _connect(self, target, ends):
        loop = asyncio.get_running_loop()
        until = loop.time() + self.limits.connect_seconds
        tls = {"ssl": self.context, "server_hostname": target.host} if target.tls else {}
        failed = Failed("dns", f"{target.host} has no address")
        for left, (address, port) in zip(range(len(ends), 0, -1), ends, strict=True):
            try:
                async with asyncio.timeout((until - loop.time()) / left):
                    return await self.open_connection(str(address), port, limit=PIECE, **tls)
            except ssl.SSLError as error:
                failed = Failed("tls", f"{target.host} at {address}: {error.reason or error}")
            except TimeoutError:
                failed = Failed("connection", f"{target.host}: no connection to {address} port {port} in time")
            except OSError as error:
                failed = Failed("connection", f"{target.host}: no connection to {address} port {port}: {error}")
        raise failed


class Wire:
    """The protocol on one connection."""

    def __init__(self, reader, limits, cap):
        self.reader, self.limits = reader, limits
        self.protocol = h11.Connection(h11.CLIENT, max_incomplete_event_size=limits.header_bytes)
        self.most = 2 * cap + 8 * limits.header_bytes
        self.received = self.pieces = 0
        self.framing = None

    def request(self, target: Target, headers: dict[str, str]) -> bytes:
        fixed = {"Host": target.authority, "Accept": TYPES, "Accept-Encoding": ACCEPTED, "Connection": "close"}
        try:
            request = h11.Request(method="GET", target=target.url.raw_path_qs, headers=list((fixed | headers).items()))
        except h11.LocalProtocolError as error:
            raise Failed("bad_url", f"{target.url} cannot be asked for: {error}") from None
        return self.protocol.send(request) + self.protocol.send(h11.EndOfMessage())

    async def head(self) -> tuple[int, dict[str, str]]:
        try:
            for _ in range(self.limits.interim + 1):
                event = await self._next()
                if isinstance(event, h11.Response):
                    return event.status_code, self._headers(event)
        except h11.RemoteProtocolError as error:
            if error.error_status_hint == 431:
                raise Failed("header_too_large", f"a header above {self.limits.header_bytes} bytes") from None
            if not self.received:
                raise Failed("connection", "closed without an answer") from None
            raise Failed("bad_response", f"this is not HTTP: {error}") from None
        except OSError as error:
            raise Failed("connection", f"broke before the answer: {error}") from None
        raise Failed("bad_response", f"more than {self.limits.interim} interim answers")

    def _headers(self, response):
        if len(response.headers) > self.limits.headers:
            raise Failed("header_too_large", f"{len(response.headers)} headers")
        fields = {}
        for name, value in response.headers:
            name, value = name.decode("latin-1"), value.decode("latin-1")
            fields[name] = f"{fields[name]}, {value}" if name in fields else value
        chunked = "transfer-encoding" in fields
        self.framing = "bad_chunks" if chunked else "wrong_length" if "content-length" in fields else "connection"
        return fields

    async def part(self) -> bytes | None:
        """The next part of the body, None at its end."""
        try:
            event = await self._next()
        except (h11.RemoteProtocolError, OSError) as error:
            raise Failed(self.framing, f"the body is not what its headers announce: {error}") from None
        if isinstance(event, h11.Data):
            self.pieces += 1
            if self.pieces > self.limits.pieces:
                raise Failed("bad_chunks", f"a body in more than {self.limits.pieces} parts")
            if self.pieces % 500 == 0:
                await asyncio.sleep(0)  # others need their turn, too
            return bytes(event.data)
        if self.protocol.trailing_data[0].strip():
            raise Failed(self.framing, "the body is longer than its headers announce")
        return None

    async def _next(self):
        while (event := self.protocol.next_event()) is h11.NEED_DATA:
            data = await self.reader.read(PIECE)
            self.received += len(data)
            if self.received > self.most:
                raise Failed("too_large", f"more than {self.most} bytes on the wire")
            self.protocol.receive_data(data)
        return event


class BodyDecoder:
    """Decodes a body while it comes, gzip or deflate, one at most: feed it what comes off the wire, call `end`, take
    `body`. Nothing is inflated beyond one piece before it is counted, so memory stays below the cap plus one piece.
    """

    def __init__(self, codings: str, limits: FetchLimits, cap: int):
        names = [name for part in codings.lower().split(",") if (name := part.strip()) not in ("", "identity")]
        if len(names) > 1 or (names and names[0] not in WINDOW):
            raise Failed("unknown_coding", f"the body is encoded as {codings[:100]!r}, we asked for {ACCEPTED}")
        self.window = WINDOW[names[0]] if names else None
        self.limits, self.cap = limits, cap
        self.body = bytearray()
        self.encoded = self.members = 0
        self.inflating = None
        self.start = b""  # the first bytes of a member, until there are two of them

    def feed(self, data: bytes) -> None:
        self.encoded += len(data)
        if self.window is None:
            self._keep(data, 0)
            return
        if self.encoded > self.cap:  # much may come in and nothing come out
            raise Failed("too_large", f"more than {self.cap} encoded bytes")
        while data:
            if not self.inflating:
                data, self.start = self.start + data, b""
                if len(data) < 2:
                    self.start = data
                    return
                if not self._begin(data):
                    return
            data = self._inflate(data)

    def end(self) -> None:
        if self.inflating or (self.start and not self.members):
            raise Failed("bad_encoding", "the compressed body ends too early")

    def _begin(self, data):
        """Start with the first member or another one; False if what follows the last one is not to be read."""
        if self.members and (self.window == WINDOW["deflate"] or data[0] != 0x1F):
            return False
        if self.members == MEMBERS:
            raise Failed("bad_encoding", f"a body of more than {MEMBERS} gzip members")
        window = self.window
        if window == WINDOW["deflate"] and (data[0] & 15 != 8 or (data[0] * 256 + data[1]) % 31):
            window = -15  # without the header that the standard asks for, as many servers send it
        self.inflating = zlib.decompressobj(window)
        return True

    def _inflate(self, data):
        """Take one member as far as the data goes; return what follows it."""
        while True:
            try:
                piece = self.inflating.decompress(data, PIECE)
            except zlib.error as error:
                raise Failed("bad_encoding", f"the compressed body is broken: {error}") from None
            if self.inflating.eof:
                data, self.inflating = self.inflating.unused_data, None
                self.members += 1
                self._keep(piece, len(data))
                return data
            data = self.inflating.unconsumed_tail
            self._keep(piece, len(data))
            if not data and len(piece) < PIECE:
                return b""

    def _keep(self, piece, unread):
        self.body += piece
        size = len(self.body)
        if self.window and size > self.limits.ratio_from and size > self.limits.ratio * (self.encoded - unread):
            raise Failed("bomb", f"{self.encoded - unread} encoded bytes have become {size}")
        if size > self.cap:
            raise Failed("too_large", f"more than {self.cap} bytes")

"""What a hostile web server may do, by name, and the class in which a fetch of it has to end.

A behaviour writes to one connection, with dice of its own so that each case of a name is different and every run the
same. `place` knows the ports of this suite and how long a fetch may take. Addresses that must never be connected to are
the victims: servers on this machine that count who comes.
"""

import asyncio
import gzip

KINDS = {}  # name -> (expected class, behaviour)


def ends(expected: str):
    def note(behave):
        KINDS[behave.__name__] = (expected, behave)
        return behave

    return note


def answer(body=b"", status="200 OK", **headers) -> bytes:
    """A whole answer; headers set to None are left out."""
    headers = {"content_type": "text/html", "content_length": len(body)} | headers
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items() if value is not None]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode("latin-1") + body


PAGE = answer(b"<p>The harbour is open.</p>")


def head(status="200 OK", **headers) -> bytes:
    """A head without a length."""
    return answer(b"", status, **{"content_length": None, **headers})


class Out:
    """The server's side of a connection."""

    def __init__(self, writer):
        self.writer = writer

    async def send(self, data: bytes):
        self.writer.write(data)
        await self.writer.drain()

    async def forever(self, piece: bytes, pause: float = 0.0):
        while True:
            await self.send(piece)
            await asyncio.sleep(pause)

    async def drip(self, data: bytes, place, dice):
        """So slowly that it takes three times what a fetch may take."""
        size = max(1, len(data) // 40)
        pause = 3 * place.seconds / -(-len(data) // size) * dice.uniform(0.8, 1.2)
        for start in range(0, len(data), size):
            await self.send(data[start : start + size])
            await asyncio.sleep(pause)

    def reset(self):
        self.writer.transport.abort()


@ends("timeout")
async def drip_status(out, dice, place):
    await out.drip(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n", place, dice)


@ends("timeout")
async def drip_headers(out, dice, place):
    await out.send(b"HTTP/1.1 200 OK\r\n")
    await out.forever(b"x-more: and more\r\n", place.seconds / dice.randint(10, 40))


@ends("timeout")
async def drip_body(out, dice, place):
    body = b"<p>slow</p>" * dice.randint(10, 500)
    await out.send(head(content_length=len(body)))
    await out.drip(body, place, dice)


@ends("timeout")
async def drip_chunks(out, dice, place):
    await out.send(head(transfer_encoding="chunked"))
    await out.forever(b"1\r\nx\r\n", place.seconds / dice.randint(10, 60))


@ends("timeout")
async def drip_gzip(out, dice, place):
    await out.send(head(content_encoding="gzip"))
    await out.drip(gzip.compress(dice.randbytes(3000)), place, dice)


@ends("timeout")
async def drip_interim(out, dice, place):
    await out.forever(b"HTTP/1.1 103 Early Hints\r\n\r\n", place.seconds / dice.randint(4, 8))


@ends("timeout")
async def silence(out, dice, place):
    await asyncio.sleep(4 * place.seconds)


@ends("timeout")
async def silence_in_the_body(out, dice, place):
    await out.send(head(content_length=1000) + b"x" * dice.randint(0, 999))
    await asyncio.sleep(4 * place.seconds)


@ends("timeout")
async def slow_redirects(out, dice, place):
    await asyncio.sleep(place.seconds * dice.uniform(0.4, 0.6))
    await out.send(answer(status="302 Found", location=f"/again/{dice.random()}"))


@ends("header_too_large")
async def endless_headers(out, dice, place):
    await out.send(b"HTTP/1.1 200 OK\r\n")
    await out.forever(b"".join(b"x-%d: %s\r\n" % (n, b"y" * dice.randint(1, 50)) for n in range(200)))


@ends("header_too_large")
async def huge_header(out, dice, place):
    await out.send(b"HTTP/1.1 200 OK\r\nx-huge: " + b"x" * dice.randint(200_000, 4_000_000) + b"\r\n\r\n")


@ends("header_too_large")
async def many_headers(out, dice, place):
    await out.send(b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * dice.randint(300, 5000) + b"\r\n")


@ends("header_too_large")
async def endless_status(out, dice, place):
    await out.forever(b"HTTP/1.1 200 " + b"O" * 5000)


@ends("bad_response")
async def garbage(out, dice, place):
    await out.send(bytes(dice.choices(range(33, 256), k=dice.randint(1, 300))) + b"\r\n\r\n")


@ends("bad_response")
async def no_head(out, dice, place):
    await out.send(b"<html><p>an answer as of 1991</p>\n\n" * dice.randint(1, 50))


@ends("bad_response")
async def closed_in_the_head(out, dice, place):
    await out.send(PAGE[: dice.randint(1, 30)])


@ends("bad_response")
async def bad_headers(out, dice, place):
    bad = (b"x: a\0b", b": nameless", b"two words: x", b"content-length: -5", b"content-length: many")
    bad += (b"content-length: 5\r\ncontent-length: 6", b"transfer-encoding: gzip", b"transfer-encoding: x, chunked")
    await out.send(b"HTTP/1.1 200 OK\r\n" + dice.choice(bad) + b"\r\n\r\nhello")


@ends("bad_response")
async def interim_flood(out, dice, place):
    await out.forever(b"HTTP/1.1 100 Continue\r\n\r\n" * dice.randint(1, 2000))


@ends("bad_response")
async def switching(out, dice, place):
    await out.send(b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n")
    await out.forever(dice.randbytes(1000))


@ends("bad_response")
async def not_modified_unasked(out, dice, place):
    await out.send(b"HTTP/1.1 304 Not Modified\r\n\r\n")


@ends("ok")
async def some_interim(out, dice, place):
    await out.send(b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n" * dice.randint(1, 10) + PAGE)


@ends("ok")
async def folded_headers(out, dice, place):
    await out.send(PAGE.replace(b"text/html", b"text/html;\r\n  charset=utf-8" * dice.randint(1, 20)))


@ends("connection")
async def closed_at_once(out, dice, place):
    await asyncio.sleep(dice.choice([0, 0.05]))


@ends("connection")
async def reset_at_once(out, dice, place):
    out.reset()

"""What a hostile web server may do, by name, and the class in which a fetch of it has to end.

A behaviour writes to one connection, with dice of its own so that each case of a name is different and every run the
same. `place` knows the ports of this suite and how long a fetch may take. Addresses that must never be connected to are
the victims: servers on this machine that count who comes.
"""

import asyncio
import gzip
import random
import zlib
from functools import cache

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


@ends("wrong_length")
async def too_short(out, dice, place):
    body = b"x" * dice.randint(0, 100_000)
    await out.send(head(content_length=len(body) + dice.randint(1, 10**9)) + body)


@ends("wrong_length")
async def too_long(out, dice, place):
    body = b"x" * dice.randint(10, 20_000)
    await out.send(head(content_length=len(body) - dice.randint(1, 9)) + body)


@ends("wrong_length")
async def reset_in_the_body(out, dice, place):
    await out.send(head(content_length=10**6) + b"x" * dice.randint(1, 10_000))
    out.reset()


@ends("too_large")
async def endless_body(out, dice, place):
    await out.send(head(content_length=dice.choice([None, 10**9, 10**15])))
    await out.forever(b"<p>more</p>" * dice.randint(100, 6000))


@ends("too_large")
async def endless_chunk(out, dice, place):
    await out.send(head(transfer_encoding="chunked") + b"f" * dice.randint(7, 16) + b"\r\n")
    await out.forever(b"<p>more</p>" * 6000)


@ends("too_large")
async def empty_blocks(out, dice, place):
    """Deflate that never yields anything."""
    await out.send(head(content_encoding="deflate"))
    await out.forever(b"\x00\x00\x00\xff\xff" * 12_000)


@ends("bad_chunks")
async def broken_chunks(out, dice, place):
    bad = (
        b"zz\r\nhello\r\n0\r\n\r\n",
        b"-5\r\nhello",
        b"5\r\nhelloworld\r\n0\r\n\r\n",
        b"5\r\nhel",
        b"\r\n",
        b"5",
        b"",
    )
    bad += (b"1" * 30 + b"\r\n", b"0x5\r\nhello\r\n0\r\n\r\n", b"5\r\nhello\r\n0\r\n")
    await out.send(head(transfer_encoding="chunked") + b"4\r\ngood\r\n" + dice.choice(bad))


@ends("bad_chunks")
async def endless_extension(out, dice, place):
    await out.send(head(transfer_encoding="chunked") + b"5;")
    await out.forever(b"x" * dice.randint(100, 50_000))


@ends("bad_chunks")
async def endless_trailers(out, dice, place):
    await out.send(head(transfer_encoding="chunked") + b"5\r\nhello\r\n0\r\n")
    await out.forever(b"x-trailer: x\r\n" * dice.randint(1, 500))


@ends("bad_chunks")
async def crumbs(out, dice, place):
    await out.send(head(transfer_encoding="chunked"))
    await out.forever(b"1\r\nx\r\n" * dice.randint(3000, 6000))


@cache
def compressed(window: int, megabytes: int, byte: int) -> bytes:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, window)
    return b"".join([squeeze.compress(bytes([byte]) * 2**20) for _ in range(megabytes)]) + squeeze.flush()


@ends("bomb")
async def gzip_bomb(out, dice, place):
    await out.send(answer(compressed(31, 64, dice.choice([0, 32])), content_encoding=dice.choice(["gzip", "x-gzip"])))


@ends("bomb")
async def deflate_bomb(out, dice, place):
    await out.send(answer(compressed(dice.choice([15, -15]), 64, 0), content_encoding="deflate"))


@ends("bomb")
async def bomb_in_members(out, dice, place):
    await out.send(head(content_encoding="gzip"))
    await out.forever(compressed(31, dice.choice([1, 2]), 32))


@ends("bomb")
async def chunked_bomb(out, dice, place):
    await out.send(head(content_encoding="gzip", transfer_encoding="chunked"))
    bomb, size = compressed(31, 64, 0), dice.randint(100, 9000)
    for start in range(0, len(bomb), size):
        await out.send(b"%x\r\n%s\r\n" % (len(bomb[start : start + size]), bomb[start : start + size]))


@cache
def just_below_the_ratio() -> list[bytes]:
    dice, squeeze = random.Random(0), zlib.compressobj(6, zlib.DEFLATED, 31)
    block = dice.randbytes(1000) * 20
    return [squeeze.compress(dice.randbytes(300) + block) + squeeze.flush(zlib.Z_SYNC_FLUSH) for _ in range(600)]


@ends("too_large")
async def patient_bomb(out, dice, place):
    """Below the ratio, above the size."""
    await out.send(head(content_encoding="gzip"))
    size = dice.randint(1, 50)
    parts = just_below_the_ratio()
    for start in range(0, len(parts), size):
        await out.send(b"".join(parts[start : start + size]))


def prepare() -> None:
    """Make the bombs before anybody's time counts."""
    for window, byte in [(31, 0), (31, 10), (31, 32), (15, 0), (-15, 0)]:
        compressed(window, 64, byte)
    compressed(31, 50, 0), just_below_the_ratio()


@ends("bad_encoding")
async def empty_members(out, dice, place):
    await out.send(answer(gzip.compress(b"") * dice.randint(1500, 60_000), content_encoding="gzip"))


@ends("bad_encoding")
async def broken_gzip(out, dice, place):
    good = bytearray(gzip.compress(dice.randbytes(5000)))
    good[dice.randint(12, 4000)] ^= 255  # in stored bytes: the checksum tells
    bad = [bytes(good), bytes(good[:3000]), b"<p>plain</p>", b"\x1f", gzip.compress(b"x")[:-1], gzip.compress(b"")[:10]]
    await out.send(answer(dice.choice(bad), content_encoding="gzip"))


@ends("unknown_coding")
async def unknown_coding(out, dice, place):
    names = ["br", "zstd", "gzip, gzip", "gzip, deflate", "compress", "gzip,br,gzip", "x" * 5000]
    await out.send(answer(gzip.compress(gzip.compress(bytes(10**6))), content_encoding=dice.choice(names)))


@ends("ok")
async def nested_gzip(out, dice, place):
    await out.send(answer(gzip.compress(compressed(31, 50, 0)), content_encoding="gzip"))


@ends("ok")
async def members_and_garbage(out, dice, place):
    body = gzip.compress(b"<p>one</p>") * dice.randint(2, 50) + dice.choice([b"", bytes(500), b"garbage"])
    await out.send(answer(body, content_encoding="gzip"))


@ends("http_")
async def odd_status(out, dice, place):
    """The status is part of the class."""
    status = dice.choice([204, 206, 300, 401, 404, 410, 451, 500, 502, 599, 600, 999])
    await out.send(answer(b"x" * 1000, status=f"{status} Odd", content_length=10**12))

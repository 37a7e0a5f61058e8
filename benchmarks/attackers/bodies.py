"""Bodies that a hostile server may send: wrong lengths, broken chunks, bombs, codings; more behaviours for
`attackers/behaviour.py`.
"""

import gzip
import random
import zlib
from functools import cache

from attackers.behaviour import answer, ends, head


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

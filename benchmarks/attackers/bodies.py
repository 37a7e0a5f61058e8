"""Bodies that a hostile server may send: wrong lengths, broken chunks, bombs, codings; more behaviours of the form of
`attackers/behaviour.py`.
"""

import gzip
import random
import zlib
from functools import cache

from attackers.behaviour import RESET, answer, forever, head

CHUNKED = head(transfer_encoding="chunked")
BROKEN_CHUNKS = [
    b"zz\r\nhello\r\n0\r\n\r\n", b"-5\r\nhello", b"5\r\nhelloworld\r\n0\r\n\r\n", b"5\r\nhel", b"\r\n", b"5", b"",
    b"1" * 30 + b"\r\n", b"0x5\r\nhello\r\n0\r\n\r\n", b"5\r\nhello\r\n0\r\n",
]  # fmt: skip
UNKNOWN_CODINGS = ["br", "zstd", "gzip, gzip", "gzip, deflate", "compress", "gzip,br,gzip", "x" * 5000]


@cache
def compressed(window: int, megabytes: int, byte: int) -> bytes:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, window)
    return b"".join([squeeze.compress(bytes([byte]) * 2**20) for _ in range(megabytes)]) + squeeze.flush()


@cache
def just_below_the_ratio() -> list[bytes]:
    dice, squeeze = random.Random(0), zlib.compressobj(6, zlib.DEFLATED, 31)
    block = dice.randbytes(1000) * 20
    return [squeeze.compress(dice.randbytes(300) + block) + squeeze.flush(zlib.Z_SYNC_FLUSH) for _ in range(600)]


def prepare() -> None:
    """Make the bombs before anybody's time counts."""
    for window, byte in [(31, 0), (31, 10), (31, 32), (15, 0), (-15, 0)]:
        compressed(window, 64, byte)
    compressed(31, 50, 0), just_below_the_ratio()


def too_short(dice, place):
    body = b"x" * dice.randint(0, 100_000)
    return [head(content_length=len(body) + dice.randint(1, 10**9)) + body]


def too_long(dice, place):
    body = b"x" * dice.randint(10, 20_000)
    return [head(content_length=len(body) - dice.randint(1, 9)) + body]


def endless_body(dice, place):
    first = head(content_length=dice.choice([None, 10**9, 10**15]))
    return forever(b"<p>more</p>" * dice.randint(100, 6000), first=first)


def endless_chunk(dice, place):
    return forever(b"<p>more</p>" * 6000, first=CHUNKED + b"f" * dice.randint(7, 16) + b"\r\n")


def endless_trailers(dice, place):
    return forever(b"x-trailer: x\r\n" * dice.randint(1, 500), first=CHUNKED + b"5\r\nhello\r\n0\r\n")


def gzip_bomb(dice, place):
    return [answer(compressed(31, 64, dice.choice([0, 32])), content_encoding=dice.choice(["gzip", "x-gzip"]))]


def bomb_in_members(dice, place):
    return forever(compressed(31, dice.choice([1, 2]), 32), first=head(content_encoding="gzip"))


def chunked_bomb(dice, place):
    yield head(content_encoding="gzip", transfer_encoding="chunked")
    bomb, size = compressed(31, 64, 0), dice.randint(100, 9000)
    for start in range(0, len(bomb), size):
        yield b"%x\r\n%s\r\n" % (len(bomb[start : start + size]), bomb[start : start + size])


def patient_bomb(dice, place):
    """Below the ratio, above the size."""
    yield head(content_encoding="gzip")
    size, parts = dice.randint(1, 50), just_below_the_ratio()
    for start in range(0, len(parts), size):
        yield b"".join(parts[start : start + size])


def broken_gzip(dice, place):
    good = bytearray(gzip.compress(dice.randbytes(5000)))
    good[dice.randint(12, 4000)] ^= 255  # in stored bytes: the checksum tells
    bad = [bytes(good), bytes(good[:3000]), b"<p>plain</p>", b"\x1f", gzip.compress(b"x")[:-1], gzip.compress(b"")[:10]]
    return [answer(dice.choice(bad), content_encoding="gzip")]


def members_and_garbage(dice, place):
    body = gzip.compress(b"<p>one</p>") * dice.randint(2, 50) + dice.choice([b"", bytes(500), b"garbage"])
    return [answer(body, content_encoding="gzip")]


def odd_status(dice, place):
    """The status is part of the class."""
    status = dice.choice([204, 206, 300, 401, 404, 410, 451, 500, 502, 599, 600, 999])
    return [answer(b"x" * 1000, status=f"{status} Odd", content_length=10**12)]


BODIES = {  # name -> (expected class, behaviour)
    "too_short": ("wrong_length", too_short),
    "too_long": ("wrong_length", too_long),
    "reset_in_the_body": (
        "wrong_length",
        lambda dice, place: [head(content_length=10**6) + b"x" * dice.randint(1, 10_000), RESET],
    ),
    "endless_body": ("too_large", endless_body),
    "endless_chunk": ("too_large", endless_chunk),
    "empty_blocks": (  # deflate that never yields anything
        "too_large",
        lambda dice, place: forever(b"\x00\x00\x00\xff\xff" * 12_000, first=head(content_encoding="deflate")),
    ),
    "broken_chunks": ("bad_chunks", lambda dice, place: [CHUNKED + b"4\r\ngood\r\n" + dice.choice(BROKEN_CHUNKS)]),
    "endless_extension": (
        "bad_chunks",
        lambda dice, place: forever(b"x" * dice.randint(100, 50_000), first=CHUNKED + b"5;"),
    ),
    "endless_trailers": ("bad_chunks", endless_trailers),
    "crumbs": ("bad_chunks", lambda dice, place: forever(b"1\r\nx\r\n" * dice.randint(3000, 6000), first=CHUNKED)),
    "gzip_bomb": ("bomb", gzip_bomb),
    "deflate_bomb": (
        "bomb",
        lambda dice, place: [answer(compressed(dice.choice([15, -15]), 64, 0), content_encoding="deflate")],
    ),
    "bomb_in_members": ("bomb", bomb_in_members),
    "chunked_bomb": ("bomb", chunked_bomb),
    "patient_bomb": ("too_large", patient_bomb),
    "empty_members": (
        "bad_encoding",
        lambda dice, place: [answer(gzip.compress(b"") * dice.randint(1500, 60_000), content_encoding="gzip")],
    ),
    "broken_gzip": ("bad_encoding", broken_gzip),
    "unknown_coding": (
        "unknown_coding",
        lambda dice, place: [
            answer(gzip.compress(gzip.compress(bytes(10**6))), content_encoding=dice.choice(UNKNOWN_CODINGS))
        ],
    ),
    "nested_gzip": (
        "ok",
        lambda dice, place: [answer(gzip.compress(compressed(31, 50, 0)), content_encoding="gzip")],
    ),
    "members_and_garbage": ("ok", members_and_garbage),
    "odd_status": ("http_", odd_status),
}

"""What a hostile web server may do, by name, and the class in which a fetch of it has to end.

A behaviour gives pieces: bytes that are sent, seconds for which nothing is, or RESET. It has dice of its own, so that
each case of a name is different and every run the same. `place` knows the ports of this suite and how long a fetch may
take. Addresses that must never be connected to are the victims: servers on this machine that count who comes.
"""

import asyncio
import gzip
import itertools

RESET = "reset"


def answer(body=b"", status="200 OK", **headers) -> bytes:
    """A whole answer; headers set to None are left out."""
    headers = {"content_type": "text/html", "content_length": len(body)} | headers
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items() if value is not None]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode("latin-1") + body


def head(status="200 OK", **headers) -> bytes:
    """A head without a length."""
    return answer(b"", status, **{"content_length": None, **headers})


def forever(piece: bytes, pause: float = 0.0, first: bytes = b""):
    return itertools.chain([first], itertools.cycle([piece, pause]))


def drip(data: bytes, place, dice, first: bytes = b""):
    """So slowly that it takes three times what a fetch may take."""
    size = max(1, len(data) // 40)
    pause = 3 * place.seconds / -(-len(data) // size) * dice.uniform(0.8, 1.2)
    yield first
    for start in range(0, len(data), size):
        yield data[start : start + size]
        yield pause


async def play(pieces, writer) -> None:
    for piece in pieces:
        if piece is RESET:
            writer.transport.abort()
        elif isinstance(piece, bytes):
            writer.write(piece)
            await writer.drain()
        else:
            await asyncio.sleep(piece)


PAGE = answer(b"<p>The harbour is open.</p>")
OK = b"HTTP/1.1 200 OK\r\n"
BAD_HEADERS = [
    b"x: a\0b", b": nameless", b"two words: x", b"content-length: -5", b"content-length: many",
    b"content-length: 5\r\ncontent-length: 6", b"transfer-encoding: gzip", b"transfer-encoding: x, chunked",
]  # fmt: skip


def drip_body(dice, place):
    body = b"<p>slow</p>" * dice.randint(10, 500)
    return drip(body, place, dice, head(content_length=len(body)))


def endless_headers(dice, place):
    return forever(b"".join(b"x-%d: %s\r\n" % (n, b"y" * dice.randint(1, 50)) for n in range(200)), first=OK)


HEADS = {  # name -> (expected class, behaviour)
    "drip_status": ("timeout", lambda dice, place: drip(OK + b"content-type: text/html\r\n\r\n", place, dice)),
    "drip_headers": (
        "timeout",
        lambda dice, place: forever(b"x-more: and more\r\n", place.seconds / dice.randint(10, 40), OK),
    ),
    "drip_body": ("timeout", drip_body),
    "drip_chunks": (
        "timeout",
        lambda dice, place: forever(
            b"1\r\nx\r\n", place.seconds / dice.randint(10, 60), head(transfer_encoding="chunked")
        ),
    ),
    "drip_gzip": (
        "timeout",
        lambda dice, place: drip(gzip.compress(dice.randbytes(3000)), place, dice, head(content_encoding="gzip")),
    ),
    "drip_interim": (
        "timeout",
        lambda dice, place: forever(b"HTTP/1.1 103 Early Hints\r\n\r\n", place.seconds / dice.randint(4, 8)),
    ),
    "silence": ("timeout", lambda dice, place: [4 * place.seconds]),
    "silence_in_the_body": (
        "timeout",
        lambda dice, place: [head(content_length=1000) + b"x" * dice.randint(0, 999), 4 * place.seconds],
    ),
    "slow_redirects": (
        "timeout",
        lambda dice, place: [
            place.seconds * dice.uniform(0.4, 0.6),
            answer(status="302 Found", location=f"/again/{dice.random()}"),
        ],
    ),
    "endless_headers": ("header_too_large", endless_headers),
    "huge_header": (
        "header_too_large",
        lambda dice, place: [OK + b"x-huge: " + b"x" * dice.randint(200_000, 4_000_000) + b"\r\n\r\n"],
    ),
    "many_headers": ("header_too_large", lambda dice, place: [OK + b"a: b\r\n" * dice.randint(300, 5000) + b"\r\n"]),
    "endless_status": ("header_too_large", lambda dice, place: forever(b"HTTP/1.1 200 " + b"O" * 5000)),
    "garbage": (
        "bad_response",
        lambda dice, place: [bytes(dice.choices(range(33, 256), k=dice.randint(1, 300))) + b"\r\n\r\n"],
    ),
    "no_head": (
        "bad_response",
        lambda dice, place: [b"<html><p>an answer as of 1991</p>\n\n" * dice.randint(1, 50)],
    ),
    "closed_in_the_head": ("bad_response", lambda dice, place: [PAGE[: dice.randint(1, 30)]]),
    "bad_headers": ("bad_response", lambda dice, place: [OK + dice.choice(BAD_HEADERS) + b"\r\n\r\nhello"]),
    "interim_flood": (
        "bad_response",
        lambda dice, place: forever(b"HTTP/1.1 100 Continue\r\n\r\n" * dice.randint(1, 2000)),
    ),
    "switching": (
        "bad_response",
        lambda dice, place: forever(
            dice.randbytes(1000),
            first=b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
        ),
    ),
    "not_modified_unasked": ("bad_response", lambda dice, place: [b"HTTP/1.1 304 Not Modified\r\n\r\n"]),
    "some_interim": (
        "ok",
        lambda dice, place: [b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n" * dice.randint(1, 10) + PAGE],
    ),
    "folded_headers": (
        "ok",
        lambda dice, place: [PAGE.replace(b"text/html", b"text/html;\r\n  charset=utf-8" * dice.randint(1, 20))],
    ),
    "closed_at_once": ("connection", lambda dice, place: [dice.choice([0, 0.05])]),
    "reset_at_once": ("connection", lambda dice, place: [RESET]),
}

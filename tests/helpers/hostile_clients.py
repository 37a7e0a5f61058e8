"""Clients that a guard server has to bear: requests that are none, bodies that never end, connections that wait."""

import contextlib
import json
import socket

VERDICTS = ("removed", "in_knowledge", "poisoned", "action")  # what an answer has that judges something
RIGHT = {"question": "Is the mill old?", "texts": ["The mill is old."], "similarities": [0.5]}
JSON = "application/json"


def head(path="/guard", method="POST", kind=JSON, token="", **headers):
    """The head of a request; a name's _ is a -."""
    names = {"host": "127.0.0.1", "content-type": kind, **({"authorization": f"Bearer {token}"} if token else {})}
    names |= {name.replace("_", "-"): value for name, value in headers.items()}
    return "".join(
        [f"{method} {path} HTTP/1.1\r\n", *(f"{name}: {value}\r\n" for name, value in names.items()), "\r\n"]
    )


def whole(body, path="/guard", token="", kind=JSON, method="POST"):
    """A request with its body."""
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return head(path, method, kind, token, content_length=len(body)).encode() + body


def bodies(most_bytes: int) -> dict[str, bytes]:
    """Those that are no question, some of them as large as is allowed."""
    right = json.dumps(RIGHT).encode()
    fill = most_bytes - 100
    return {
        "empty": b"", "no JSON": b"{", "a list": b"[]", "null": b"null", "NUL": b"\0" * 100, "no field": b"{}",
        "a text as list": right.replace(b'["The mill is old."]', b'"The mill is old."'),
        "a number as text of a list": right.replace(b'"The mill is old."', b"1"),
        "a field too many": right.replace(b"{", b'{"more": 1, '),
        "no UTF-8": right.replace(b"mill", b"\xff\xfe"),
        "half a character": right.replace(b"mill", rb"\ud800"),
        "deep": b"[" * fill, "deep objects": b'{"a":' * (fill // 5),
        "deep in a field": b'{"question": ' + b"[" * 900 + b"]" * 900 + b"}",
        "many errors": b'{"texts": [' + b"1," * (fill // 2) + b"1]}",
        "many lists": b'{"vectors": [' + b"[]," * (fill // 3) + b"[]]}",
        "many fields": b"{" + b",".join(b'"%d":1' % number for number in range(fill // 12)) + b"}",
        "many texts": b'{"question": "a", "texts": [' + b'"",' * (fill // 3) + b'""], "similarities": []}',
        "many digits": right.replace(b"0.5", b"9" * 5_000), "infinite": right.replace(b"0.5", b"1e999"),
        "no number": right.replace(b"0.5", b"NaN"), "a number as text": right.replace(b"0.5", b'"0.5"'),
        "a field twice": b'{"question": 1, ' + right[1:-1] + b', "question": null}',
        "one score too few": json.dumps(RIGHT | {"similarities": []}).encode(),
    }  # fmt: skip


def requests(most_bytes: int, token: str) -> dict[str, bytes]:
    """What a server has to refuse with a status of 4xx, each for a connection of its own."""
    right, gates = json.dumps(RIGHT).encode(), {"requests": [{"guard": RIGHT}] * 5_000}
    cases = {f"body: {name}": whole(body, token=token) for name, body in bodies(most_bytes).items()}
    kinds = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "image/png", "")
    cases |= {f"content type {kind}": whole(right, token=token, kind=kind) for kind in kinds}
    cases |= {f"method {name}": whole(right, token=token, method=name) for name in ("GET", "PUT", "DELETE", "BREW")}
    cases |= {f"path {path}": whole(right, path, token) for path in ("/nowhere", "//guard", "/guard/../gate", "/gate")}
    wrong = ("x", token[:-1], token + "x", token.upper(), "x" * 60_000) if token else ()
    cases |= {f"token {len(given)}": whole(right, token=given) for given in wrong}
    declared = ("100000000", "9" * 30, "-1", "1e3", "0x10")
    cases |= {f"length {given}": head(token=token, content_length=given).encode() for given in declared}
    return cases | {
        "no token": whole(right) if token else b"x\r\n\r\n",
        "too large a batch": whole(gates, "/batch", token)[: most_bytes + 1_000],
        "too large in pieces": head(token=token, transfer_encoding="chunked").encode()
        + b"".join(b"400\r\n%b\r\n" % (b" " * 1_024) for _ in range(most_bytes // 1_024 + 1)),
        "two lengths": head(token=token, content_length=3, Content_Length=4).encode() + b"abcd",
        "a long head": b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: " + b"x" * 200_000 + b"\r\n\r\n",
        "TLS": bytes.fromhex("16030100c8010000c40303") + bytes(200),
        "lines": b"\n" * 1_000 + b"a\r\n\r\n",
    }


def asked(port: int, request: bytes) -> tuple[int, str]:
    """Status and body of the reply; 0 if the server only ends the connection."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.settimeout(120)
        reply = b""
        with contextlib.suppress(ConnectionError):
            connection.sendall(request)
        with contextlib.suppress(ConnectionError):
            while not _is_whole(reply) and (piece := connection.recv(65_536)):
                reply += piece
    return _status(reply), reply.partition(b"\r\n\r\n")[2].decode()


def _status(reply):
    return int(reply.split(b" ", 2)[1]) if reply.startswith(b"HTTP/1.1 ") else 0


def _is_whole(reply):
    names, end, body = reply.partition(b"\r\n\r\n")
    length = [line.split(b":")[1] for line in names.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return bool(end and length) and len(body) >= int(length[0])


def is_refused(status: int, body: str) -> bool:
    """Whether a reply lets nothing through."""
    return 400 <= status < 500 and not any(f'"{name}"' in body for name in VERDICTS)


def connected(port: int, count: int, first: bytes = b"") -> list[socket.socket]:
    """Connections that have sent this much and then wait."""
    waiting = []
    for _ in range(count):
        waiting.append(socket.create_connection(("127.0.0.1", port)))
        with contextlib.suppress(ConnectionError):
            waiting[-1].sendall(first)
    return waiting


def is_cut_off(connection: socket.socket) -> bool:
    """Whether the server has ended it; what it said before is read."""
    connection.setblocking(False)
    try:
        while connection.recv(65_536):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        pass
    return True

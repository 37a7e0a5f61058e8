"""What every request of a guard server passes first: who may ask, how large a body is, how long it takes to come and to
be answered, how many are under way. And the counts of all this, for Prometheus.
"""

import asyncio
import hmac
import json
import time
from collections import Counter

from ragassay.people.page.access import is_own_host

OPEN = ("/health", "/ready")  # to anybody, since they say nothing


class Metrics:
    """Counts since the server started."""

    def __init__(self):
        self.counts, self.seconds, self.in_flight = Counter(), Counter(), 0

    def count(self, name: str, **labels: str) -> None:
        self.counts[name, tuple(labels.items())] += 1

    def text(self) -> str:
        """In the text form of Prometheus."""
        lines = [f"ragassay_in_flight {self.in_flight}"]
        for (name, labels), number in sorted(self.counts.items()):
            lines.append(f"ragassay_{name}_total{{{_labels(labels)}}} {number}")
        for path, seconds in sorted(self.seconds.items()):
            lines.append(f'ragassay_request_seconds_sum{{path="{path}"}} {seconds:.6f}')
        return "\n".join(lines) + "\n"


def _labels(labels):
    return ",".join(f"{key}={json.dumps(value)}" for key, value in labels)


class Limits:
    """ASGI around an application. `paths` are those that it has, with the seconds that an answer may take. A `token` of
    "" lets all in that name this machine as their host, so that no page of a browser reaches a server on loopback.
    """

    def __init__(self, app, paths: dict[str, float], metrics: Metrics, token: str, settings: dict):
        self.app, self.paths, self.metrics, self.token = app, paths, metrics, token
        self.most_bytes, self.seconds = settings["most_bytes"], settings["seconds"]
        self.most_in_flight = settings["most_in_flight"]

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"] if scope["path"] in self.paths else "other"
        begun, sent = time.perf_counter(), []

        async def counted(message):
            if message["type"] == "http.response.start":
                sent.append(message["status"])
            await send(message)

        self.metrics.in_flight += 1
        try:
            await self._answer(scope, receive, counted, sent)
        finally:
            self.metrics.in_flight -= 1
            self.metrics.count("requests", path=path, status=str(sent[0] if sent else 499))
            self.metrics.seconds[path] += time.perf_counter() - begun

    async def _answer(self, scope, receive, send, sent):
        headers = dict(scope["headers"])
        refusal = self._refusal(scope["path"], headers)
        if refusal:
            await refuse(send, *refusal)
            return
        try:
            async with asyncio.timeout(self.seconds):
                body = await self._body(receive)
        except TimeoutError:
            await refuse(send, 408, f"found no whole body after {self.seconds} seconds, expected it faster")
            return
        if body is None:  # too large, or the client is gone
            await refuse(send, 413, f"found a body of more than {self.most_bytes} bytes; send less at a time")
            return
        messages = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def replay():
            return next(messages, None) or await receive()

        try:
            async with asyncio.timeout(seconds := self.paths.get(scope["path"], self.seconds)):
                await self.app(scope, replay, send)
        except TimeoutError:
            if not sent:
                await refuse(send, 504, f"found no answer after {seconds} seconds; ask for less at a time")

    def _refusal(self, path, headers):
        """Status and reason, or nothing."""
        if path in OPEN:
            return None
        if self.token:
            given = headers.get(b"authorization", b"")
            if not hmac.compare_digest(given, b"Bearer " + self.token.encode()):
                return 401, "found no valid token, expected the header: Authorization: Bearer TOKEN"
        elif not is_own_host(headers.get(b"host", b"").decode("latin-1")):
            return 421, "found another host, expected 127.0.0.1: this server has no token and serves this machine alone"
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self.most_bytes:
            return 413, f"found a body of more than {self.most_bytes} bytes; send less at a time"
        if self.metrics.in_flight > self.most_in_flight:
            return 503, f"found {self.most_in_flight} requests under way; ask again in a second"
        return None

    async def _body(self, receive):
        body = b""
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            body += message.get("body", b"")
            if len(body) > self.most_bytes:
                return None
            if not message.get("more_body"):
                return body


async def refuse(send, status: int, reason: str) -> None:
    body = json.dumps({"error": reason}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(b"retry-after", b"1")] if status == 503 else []
    headers += [(b"connection", b"close")] if status in (408, 413) else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

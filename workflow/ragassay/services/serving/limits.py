"""What every request of a guard server passes first: who may ask, how large a body is, how long it takes to come and to
be answered, how many are under way, and how much memory all bodies take. A body that is still coming makes room for
others, so that nobody keeps places by waiting. And the counts of all this, for Prometheus.
"""

import asyncio
import hmac
import json
import time
from collections import Counter

from ragassay.people.page.access import is_own_host

OPEN = ("/health", "/ready")  # to anybody, since they say nothing; no body is read there


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
        self.most_held = max(self.most_bytes, settings["most_bytes_held"])
        self.held, self.coming = 0, {}  # bytes of all bodies; deadline of a body that is still coming -> the body

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

        body = bytearray()
        try:
            refusal = self._refusal(scope["path"], dict(scope["headers"]))
            if not refusal and scope["path"] not in OPEN:
                refusal = await self._received(receive, body)
            if refusal or (refusal := self._busy(scope["path"])):
                await refuse(counted, *refusal)
            else:
                await self._answer(scope, body, receive, counted, sent)
        finally:
            self.held -= len(body)
            self.metrics.count("requests", path=path, status=str(sent[0] if sent else 499))
            self.metrics.seconds[path] += time.perf_counter() - begun

    async def _answer(self, scope, body, receive, send, sent):
        messages = iter([{"type": "http.request", "body": bytes(body), "more_body": False}])

        async def replay():
            return next(messages, None) or await receive()

        self.metrics.in_flight += 1
        try:
            async with asyncio.timeout(seconds := self.paths.get(scope["path"], self.seconds)):
                await self.app(scope, replay, send)
        except TimeoutError:
            if not sent:
                await refuse(send, 504, f"found no answer after {seconds} seconds; ask for less at a time")
        finally:
            self.metrics.in_flight -= 1

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
        return self._busy(path)

    def _busy(self, path):
        if self.metrics.in_flight < self.most_in_flight or path in OPEN:
            return None
        return 503, f"found {self.most_in_flight} requests under way; ask again in a second"

    async def _received(self, receive, body):
        """Fills the body; status and reason if that is not possible."""
        more_body = True
        try:
            async with asyncio.timeout(self.seconds) as deadline:
                self.coming[deadline] = body
                while more_body:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return 499, "found the end of the connection, expected a body"
                    if deadline not in self.coming:
                        raise TimeoutError
                    piece, more_body = message.get("body", b""), message.get("more_body")
                    if len(body) + len(piece) > self.most_bytes:
                        return 413, f"found a body of more than {self.most_bytes} bytes; send less at a time"
                    body += piece
                    self.held += len(piece)
                    if not self._has_room(deadline):
                        return 503, f"found bodies of {self.most_held} bytes under way; ask again in a second"
        except TimeoutError:
            return 408, f"found no whole body in {self.seconds} seconds, or before others took its place; send faster"
        finally:
            self.coming.pop(deadline, None)
        return None

    def _has_room(self, deadline):
        """Whether all bodies fit. Others that are still coming are given up for that, the first ones first."""
        while self.held > self.most_held and (others := [other for other in self.coming if other is not deadline]):
            others[0].reschedule(0)
            given_up = self.coming.pop(others[0])
            self.held -= len(given_up)
            given_up.clear()
        return self.held <= self.most_held


async def refuse(send, status: int, reason: str) -> None:
    body = json.dumps({"error": reason}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(b"retry-after", b"1")] if status == 503 else []
    headers += [(b"connection", b"close")]  # what comes of the request is not read
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

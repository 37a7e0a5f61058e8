"""What the loopback server keeps of each request: two lines in a file and the totals.

The line `asked` is written before anything of the reply is sent and says what was decided and whether it was billed:
an answer that was generated is billed, also when its reply is dropped or cut off. The line `ended` follows when the
last byte was handed to the kernel (`whole` is true) or when that became impossible. Lines are written at once and not
buffered, so they survive the death of the server; they are not synced to the disk.
"""

import collections
import hashlib
import json
import os
import time

canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def digest(value) -> str:
    """The sha256 of a JSON value, written with sorted keys, no spaces and nothing outside ASCII."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


class Log:
    def __init__(self, path: str):
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self.kinds = collections.Counter()  # of chat requests and rows of batches: "answer", "429", "drop", ...
        self.routes = collections.Counter()
        self.keys = collections.Counter()  # key of the body -> chat requests
        self.totals = collections.Counter()
        self.seconds = 0.0  # latency drawn, summed
        self.in_flight = self.most_in_flight = 0

    def asked(self, route: str, number: int, kind: str, **found) -> None:
        """A request came and this was decided. `found`: key, prompt, n, billed, samples, tokens, seconds."""
        self.routes[route] += 1
        if route in ("chat", "batch_row"):
            self.kinds[kind] += 1
            for name in ("billed", "samples", "prompt_tokens", "cached_tokens", "completion_tokens"):
                self.totals[name] += found.get(name, 0)
        if route == "chat":
            self.keys[found.get("key", "")] += 1
            self.seconds += found.get("seconds", 0)
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
        self.write({"event": "asked", "route": route, "number": number, "time": time.time(), "kind": kind, **found})

    def ended(self, route: str, number: int, whole: bool, size: int) -> None:
        """The reply was sent in full, or never will be."""
        if route == "chat":
            self.in_flight -= 1
            self.totals["whole"] += whole
        self.write(
            {"event": "ended", "route": route, "number": number, "time": time.time(), "whole": whole, "bytes": size}
        )

    def write(self, line: dict) -> None:
        os.write(self.file, json.dumps(line).encode() + b"\n")

    def summary(self) -> dict:
        return {
            "requests": self.routes["chat"],
            "kinds": dict(self.kinds),
            "routes": dict(self.routes),
            **{name: self.totals[name] for name in ("whole", "billed", "samples")},
            **{name: self.totals[name] for name in ("prompt_tokens", "cached_tokens", "completion_tokens")},
            "latency_seconds": self.seconds,
            "in_flight": self.in_flight,
            "most_in_flight": self.most_in_flight,
            "requests_per_key": dict(self.keys),
            "cpu_seconds": time.process_time(),
        }

"""Limits of one fetch, and the exception with which it ends without an answer."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    connect_seconds: float = 5.0  # look-up, connection and TLS, each
    total_seconds: float = 30.0  # all that one fetch does on the network, redirects and robots.txt included
    robots_seconds: float = 12.0  # of these, for robots.txt
    decoded_bytes: int = 10_000_000
    robots_bytes: int = 512 * 1024  # the rest is not read, as RFC 9309 allows
    ratio: float = 100.0  # decoded to encoded bytes ...
    ratio_from: int = 256 * 1024  # ... once there are so many: a short page of blanks is no bomb
    header_bytes: int = 64 * 1024
    headers: int = 200
    interim: int = 10  # answers of class 1xx before the real one
    pieces: int = 20_000  # parts in which a body may come
    redirects: int = 3
    url_length: int = 4096
    crawl_delay: float = 60.0  # hosts that ask for longer pauses are not asked
    patience: float = 30.0  # the longest wait for a host that asked for a pause by 429 or 503


class Failed(Exception):
    """A fetch is over. `outcome` is its class, `detail` one line for people."""

    def __init__(self, outcome: str, detail: str):
        super().__init__(outcome, detail)
        self.outcome, self.detail = outcome, detail

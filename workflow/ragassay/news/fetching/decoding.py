"""The body of an answer, decoded while it comes and counted at every step: gzip and deflate, one at most.

Nothing is inflated beyond one piece before it is counted, so memory stays below the cap plus one piece. Does not
interpret the bytes (charset, HTML).
"""

import zlib

from ragassay.news.fetching.bounds import Failed, Limits

WINDOW = {"gzip": 31, "x-gzip": 31, "deflate": 15}
ACCEPTED = "gzip, deflate"
PIECE = 64 * 1024
MEMBERS = 1000  # gzip members in one body; an honest one has one


class Decoder:
    """Feed it what comes off the wire, call `end`, take `body`."""

    def __init__(self, codings: str, limits: Limits, cap: int):
        names = [name for part in codings.lower().split(",") if (name := part.strip()) not in ("", "identity")]
        if len(names) > 1 or (names and names[0] not in WINDOW):
            raise Failed("unknown_coding", f"the body is encoded as {codings[:100]!r}, we asked for {ACCEPTED}")
        self.window = WINDOW[names[0]] if names else None
        self.limits, self.cap = limits, cap
        self.body = bytearray()
        self.encoded = self.members = 0
        self.inflating = None
        self.start = b""  # the first bytes of a member, until there are two of them

    def feed(self, data: bytes) -> None:
        self.encoded += len(data)
        if self.window is None:
            self._keep(data, 0)
            return
        if self.encoded > self.cap:  # much may come in and nothing come out
            raise Failed("too_large", f"more than {self.cap} encoded bytes")
        while data:
            if not self.inflating:
                data, self.start = self.start + data, b""
                if len(data) < 2:
                    self.start = data
                    return
                if not self._begin(data):
                    return
            data = self._inflate(data)

    def end(self) -> None:
        if self.inflating or (self.start and not self.members):
            raise Failed("bad_encoding", "the compressed body ends too early")

    def _begin(self, data):
        """Start with the first member or another one; False if what follows the last one is not to be read."""
        if self.members and (self.window == WINDOW["deflate"] or data[0] != 0x1F):
            return False
        if self.members == MEMBERS:
            raise Failed("bad_encoding", f"a body of more than {MEMBERS} gzip members")
        window = self.window
        if window == WINDOW["deflate"] and (data[0] & 15 != 8 or (data[0] * 256 + data[1]) % 31):
            window = -15  # without the header that the standard asks for, as many servers send it
        self.inflating = zlib.decompressobj(window)
        return True

    def _inflate(self, data):
        """Take one member as far as the data goes; return what follows it."""
        while True:
            try:
                piece = self.inflating.decompress(data, PIECE)
            except zlib.error as error:
                raise Failed("bad_encoding", f"the compressed body is broken: {error}") from None
            if self.inflating.eof:
                data, self.inflating = self.inflating.unused_data, None
                self.members += 1
                self._keep(piece, len(data))
                return data
            data = self.inflating.unconsumed_tail
            self._keep(piece, len(data))
            if not data and len(piece) < PIECE:
                return b""

    def _keep(self, piece, unread):
        self.body += piece
        size = len(self.body)
        if self.window and size > self.limits.ratio_from and size > self.limits.ratio * (self.encoded - unread):
            raise Failed("bomb", f"{self.encoded - unread} encoded bytes have become {size}")
        if size > self.cap:
            raise Failed("too_large", f"more than {self.cap} bytes")

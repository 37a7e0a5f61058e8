"""How our servers listen, and which connections they keep. There are at most `most`: a new one takes the place of the
one that has been silent longest, so that nobody can take all places by waiting. One on which no request begins or is
worked on is cut off after `seconds` to twice as many: that of a head that never ends, and that of an answer that
nobody reads."""

import contextlib
import resource
import socket

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ragassay.base.errors import AssayError

MOST, SECONDS = 1_000, 60
WAITING = 4_096
LATER = 1.1  # so that what has a limit of its own is answered first


class ServingError(AssayError):
    """Nothing can be served at this address."""


class Connection(H11Protocol):
    seconds: float
    most: int
    alive: dict  # connections, the one that began a request last at the end

    def connection_made(self, transport):
        super().connection_made(transport)
        self.latest, self.was_silent = None, False
        self.watch = self.loop.call_later(LATER * self.seconds, self._look)
        self.alive[self] = None
        if len(self.alive) > self.most:
            silent = next(other for other in self.alive if not other.is_at_work())
            del self.alive[silent]
            silent.transport.abort()

    def connection_lost(self, exc):
        super().connection_lost(exc)
        self.watch.cancel()
        self.alive.pop(self, None)

    def data_received(self, data):
        super().data_received(data)
        if self.cycle is not self.latest and self in self.alive:
            self.latest, self.was_silent = self.cycle, False
            self.alive[self] = self.alive.pop(self)

    def is_at_work(self):
        """Whether a request that has come as a whole is being answered, and the client reads the answer."""
        under_way = self.cycle and not self.cycle.response_complete and not self.cycle.more_body
        return under_way and not self.flow.write_paused and not self.transport.is_closing()

    def _look(self):
        is_silent = self.cycle is self.latest and not self.is_at_work()
        if is_silent and self.was_silent:
            self.transport.abort()
            return
        self.latest, self.was_silent = self.cycle, is_silent
        self.watch = self.loop.call_later(LATER * self.seconds, self._look)


class Listener(uvicorn.Server):
    async def startup(self, sockets):
        await super().startup(sockets)
        for listening in sockets:  # more wait than are let in at a time: a client tries again after a second only
            listening.listen(WAITING)


def serving(app, seconds: float = SECONDS, most: int = MOST, **options) -> uvicorn.Server:
    """A server of an application, which takes what files the system allows."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(ValueError, OSError):  # macOS refuses a limit that is infinite; then the present one stays
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    protocol = type("Connection", (Connection,), {"seconds": seconds, "most": most, "alive": {}})
    # A quarter at a time is let in, so that a request is read before so many newer connections end its own.
    options |= {"http": protocol, "loop": "asyncio", "ws": "none", "backlog": max(1, most // 4)}
    return Listener(uvicorn.Config(app, log_level="error", access_log=False, server_header=False, **options))


def listen(host: str, port: int) -> socket.socket:
    """A socket that accepts connections from now on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends at once only if the protocol is named; otherwise every page waits 40 ms for an acknowledgement
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)  # people may connect as soon as they see the address
    except (OSError, OverflowError) as error:
        listening.close()
        remedy = "choose another with --port or --host"
        raise ServingError(f"{host}:{port}: {getattr(error, 'strerror', None) or error}; {remedy}") from None
    return listening

"""What it means that no reply came: which of the reasons pass, and what to do about the others.

Both clients hand their exceptions over; what counts is the error below them that says why. A wrong certificate, a name
that nobody has, a proxy that turns requests away and a server that does not speak TLS stay as they are: the job stops
and names the setting or the variable of the environment. Nothing was sent where no connection came about.
"""

import re
import socket
import ssl
from collections.abc import Iterator

from ragassay.calls.model import Failure

CONNECT_SECONDS = 10.0  # the longest wait for a connection
TRUST = "set SSL_CERT_FILE to a file with the certificates that you trust, or correct base_url"
NAME = "correct base_url, or HTTPS_PROXY and HTTP_PROXY where they are set"
SPEAKS_HTTP = "if the server speaks plain HTTP, let base_url begin with http://"
CREDENTIALS = "it wants a name and a password; put them into HTTPS_PROXY and HTTP_PROXY: http://NAME:PASSWORD@HOST:PORT"
TURNED_AWAY = "ask those who run the proxy, or name the host in NO_PROXY"
REMEDY = "check base_url and the network, and HTTPS_PROXY if you need a proxy"
NO_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
NO_TLS = {"WRONG_VERSION_NUMBER", "UNKNOWN_PROTOCOL", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG"}
UNSENT = ("ClientConnectorError", "InvalidURL", "ConnectionTimeoutError")  # of aiohttp, with what derives from them
UNSENT_BY_HTTPX = {"ConnectError", "ConnectTimeout", "ProxyError", "UnsupportedProtocol"}
UNREADABLE_BY_HTTPX = {"DecodingError", "RemoteProtocolError"}


def failure_without_reply(error: BaseException, server: str) -> Failure:
    """The failure behind an exception of a client."""
    chain = list(_chain(error))
    for cause in chain:
        if failure := _lasting(cause, server):
            return failure
    # The official client names many errors of aiohttp a timeout, so the error of aiohttp counts if there is one.
    sources = [cause for cause in chain if _is(cause, "ClientError")] or chain
    names = {type(cause).__name__ for cause in sources}
    why = next((words for cause in sources[::-1] if (words := _words(cause))), type(sources[-1]).__name__)
    if any(_is(cause, "ClientResponseError") for cause in sources) or (
        names & UNREADABLE_BY_HTTPX and "disconnected" not in why and "closed connection" not in why
    ):
        return Failure("garbled", f"the reply of {server} cannot be read: {why}", again=True, lost=True)
    if names & {"ConnectTimeout", "ConnectionTimeoutError"}:
        why = f"none came about within {CONNECT_SECONDS:g} s"
    unsent = any(_is(cause, *UNSENT) for cause in sources) or names & UNSENT_BY_HTTPX
    told = f"{'no' if unsent else 'lost the'} connection to {server}: {why}"
    return Failure("connection", told, again=True, lost=not unsent)


def failure_of_proxy(status: int, server: str) -> Failure:
    """What the status means with which a proxy turned a request away."""
    told = f"the proxy on the way to {server} answered with HTTP {status}; "
    again = status in (408, 429) or status >= 500
    return Failure("proxy", told + (CREDENTIALS if status == 407 else TURNED_AWAY), again=again)


def _lasting(cause, server):
    """The failure behind an error that stays, or None."""
    if _is(cause, "ClientHttpProxyError"):
        return failure_of_proxy(cause.status, server)
    if type(cause).__name__ == "ProxyError" and (status := re.match(r"[1-5]\d\d\b", str(cause))):
        return failure_of_proxy(int(status[0]), server)
    # aiohttp's errors are errors of ssl, too, but say nothing of the reason.
    if isinstance(cause, ssl.SSLCertVerificationError) and (words := getattr(cause, "verify_message", "")):
        told = f"the certificate of {server} is not trusted: {words}"
        return Failure("certificate", f"{told}; {TRUST}", again=False)
    if isinstance(cause, ssl.SSLError) and getattr(cause, "reason", "") in NO_TLS:
        return Failure("no TLS", f"what answers at {server} does not speak TLS; {SPEAKS_HTTP}", again=False)
    if isinstance(cause, socket.gaierror) and cause.errno in NO_NAME:
        return Failure("no name", f"no connection to {server}: {cause.strerror}; {NAME}", again=False)
    return None


def _is(cause, *names):
    """Whether an error is of one of aiohttp's classes, which jobs that reach no server do not load."""
    return any(kind.__name__ in names and kind.__module__.startswith("aiohttp") for kind in type(cause).__mro__)


def _words(cause):
    said = getattr(cause, "message", "") if _is(cause, "ClientResponseError") else ""
    return " ".join(str(said or cause).split())[:300]


def _chain(error) -> Iterator[BaseException]:
    """An error and those behind it."""
    while error is not None:
        yield error
        for inner in getattr(error, "exceptions", ()):
            yield from _chain(inner)
        error = error.__cause__ or error.__context__

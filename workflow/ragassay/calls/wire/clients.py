"""Post requests to one address, by the official client or by a session of aiohttp, which takes less processor time.
Both send the same bytes and hand on what came, whatever its status; nothing is sent again. Headers come with each
request: a session would give its own, with the key, to proxies, too."""

import json
import os
import urllib.request
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from time import time

import aiohttp
from yarl import URL

from ragassay.base import terminal
from ragassay.base.errors import json_of
from ragassay.calls.model import Failure, Model, ModelError
from ragassay.calls.wire.failures import CONNECT_SECONDS, failure_of, failure_of_proxy, failure_without_reply

IDLE = 4.0  # seconds for which a connection is kept; many servers close theirs after 5
LONGEST_HEADER = 65_536  # bytes
LONGEST_PAUSE = 300.0  # seconds that a server may ask for
HEADERS = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "ragassay"}


class Fast:
    """`await post(body)` to an address, without an official client."""

    def __init__(self, server: str, address: str, headers: Mapping[str, str], longest: int | None = None, direct=False):
        self.server, self.address, self._session = server, URL(address), None
        self.longest, self.direct = longest, direct  # `direct`: past any proxy
        self.headers = {**HEADERS, **headers}

    async def post(self, body: dict, method: str = "POST") -> tuple[int, Mapping[str, str], str]:
        """Status, headers and text of the reply, which is refused beyond the `longest` that it may be. With GET the
        body becomes the query of the address. Raises Failure.
        """
        self.open()
        sent = {"headers": self.headers, "proxy": self._proxy, "allow_redirects": False}
        address = self.address
        if method == "GET":
            address = address.update_query({name: _as_query(value) for name, value in body.items()})
        else:
            sent["data"] = encoded(body)
        try:
            async with self._session.request(method, address, **sent) as reply:
                status, headers, content = reply.status, reply.headers, await self._content(reply)
        except (aiohttp.ClientError, OSError) as error:
            raise failure_without_reply(error, self.server) from error
        return received(status, headers, content, self.server)

    async def _content(self, reply):
        if self.longest is None:
            return await reply.read()
        content = bytearray()
        async for piece in reply.content.iter_any():
            content += piece
            if len(content) > self.longest:
                reply.close()
                problem = f"the reply of {self.server} is longer than {self.longest:,} bytes, and was read no further"
                raise Failure("too large", problem, again=False, lost=True, refused="provider_error")
        return bytes(content)

    def open(self) -> None:
        """What the first request would else wait for."""
        if self._session:
            return
        self._proxy, trusted = None if self.direct else proxy_for(self.address, self.server), True
        if self.address.scheme == "https":
            import httpx2

            trusted = httpx2.create_ssl_context()  # as the official clients do
        self._session = new_session(trusted)

    async def close(self) -> None:
        if self._session:
            await self._session.close()


class Official:
    """The same through the official client of a provider, which is loaded and made when it is first used."""

    def __init__(self, server: str, address: str, provider):
        self.server, self.address, self.provider = server, URL(address), provider

    async def post(self, body: dict) -> tuple[int, Mapping[str, str], str]:
        """Status, headers and text of the reply. Raises Failure."""
        self.open()
        sdk, sent = self.provider.sdk, {"content": encoded(body), "options": self.provider.post_options}
        try:
            reply = await self.provider.client.post(self.provider.path, cast_to=self.provider.reply_type, **sent)
        except sdk.APIStatusError as error:
            reply = error.response
        except (sdk.APIError, aiohttp.ClientError, OSError) as error:
            raise failure_without_reply(error, self.server) from error
        return received(reply.status_code, reply.headers, reply.content, self.server)

    def open(self) -> None:
        """What the first request would else wait for."""
        if "client" in self.provider.__dict__:
            return
        proxy_for(self.address, self.server)
        try:
            self.provider.client  # noqa: B018  made here
        except (ValueError, ImportError, OSError) as error:
            problem = f"{self.server}: the official client cannot be used: {' '.join(str(error).split())[:300]}"
            variables = "check the variables HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and SSL_CERT_FILE"
            raise ModelError(f"{problem}; {variables}") from error

    async def close(self) -> None:
        """The provider closes its client, which batches use, too."""


def new_session(ssl) -> aiohttp.ClientSession:
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=IDLE, ssl=ssl)
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS)
    settings = {"timeout": timeout, "cookie_jar": aiohttp.DummyCookieJar()}
    settings |= {"max_line_size": LONGEST_HEADER, "max_field_size": LONGEST_HEADER}
    return aiohttp.ClientSession(connector=connector, **settings)


def key_in(variable: str, place: str, needed: bool = True) -> str:
    """The key that an environment variable holds; from then on nothing shows it."""
    key = os.environ.get(variable, "").strip()
    if not key and needed:
        raise ModelError(f"{place}: no key; set the environment variable {variable}")
    if not (key.isascii() and key.isprintable()):
        raise ModelError(f"{place}: what {variable} holds cannot be a key")
    terminal.remember(key)
    return key


def failure_of_reply(status: int, headers: Mapping[str, str], text: str, source: str, model: Model) -> Failure:
    """What a status other than 200 means."""
    error = json_of(text)
    if not isinstance(error, dict):
        error = headers.get("location", text) if 300 <= status < 400 else text
    return failure_of(status, error, source, model, _retry_after(headers))


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait, in either of the two forms it may use."""
    value = headers.get("retry-after", "")
    try:
        return min(max(0.0, float(value)), LONGEST_PAUSE)
    except ValueError:
        pass
    try:
        return min(max(0.0, parsedate_to_datetime(value).timestamp() - time()), LONGEST_PAUSE)
    except ValueError:
        return None


def _as_query(value):
    return value if isinstance(value, str) else json.dumps(value)


def encoded(body: dict) -> bytes:
    return json.dumps(body, allow_nan=False).encode()


def received(status: int, headers: Mapping[str, str], content: bytes, server: str) -> tuple:
    """A reply, unless a proxy gave it."""
    if status == 407:
        raise failure_of_proxy(status, server)
    return status, headers, content.decode(errors="replace")


def proxy_for(address: URL, server: str) -> str | None:
    """The proxy that the environment names for an address."""
    if urllib.request.proxy_bypass(f"{address.host}:{address.port}"):
        return None
    proxies = urllib.request.getproxies()
    proxy = proxies.get(address.scheme) or proxies.get("all")
    if proxy and "://" not in proxy:
        proxy = f"http://{proxy}"
    if proxy and not proxy.startswith(("http://", "https://")):
        kind, host = proxy.partition("://")[0], address.host
        expected = "expected one that begins with http://"
        raise ModelError(f"{server}: the environment names a {kind} proxy, {expected}, or NO_PROXY={host}")
    return proxy

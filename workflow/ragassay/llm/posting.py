"""Post requests to one address: a session of aiohttp with its connections kept open, and what can go wrong with them.

The official clients would do it, too, at three times the processor time of a request, and their import takes longer
than a small job. Certificates are trusted and proxies found as they do it. Nothing is sent again, to no other address
either, and there is no deadline.
"""

import json
import urllib.request
from collections.abc import Mapping

import aiohttp
from yarl import URL

from ragassay.llm.model import Failure, ModelError

IDLE = 4.0  # seconds for which a connection is kept; many servers close theirs after 5
LONGEST_HEADER = 65_536  # bytes
NEVER_SENT = (aiohttp.ClientConnectorError, aiohttp.ClientHttpProxyError, aiohttp.InvalidURL)
HEADERS = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "ragassay"}


class Poster:
    """`await post(body)` to a path of a server; `headers` go along with each request."""

    def __init__(self, server: str, path: str, headers: Mapping[str, str]):
        self.server, self.address, self._session = server, URL(server + path), None
        self.headers = {**HEADERS, **headers}

    async def post(self, body: dict) -> tuple[int, Mapping[str, str], str]:
        """Status, headers and text of the reply. Raises Failure."""
        self.open()
        content = json.dumps(body, allow_nan=False).encode()
        try:
            sent = {"data": content, "proxy": self._proxy, "allow_redirects": False}
            async with self._session.post(self.address, **sent) as reply:
                return reply.status, reply.headers, (await reply.read()).decode(errors="replace")
        except aiohttp.ClientResponseError as error:
            detail = f"the reply of {self.server} cannot be read: {' '.join(error.message.split())[:300]}"
            raise Failure("garbled", detail, again=True, lost=True) from error
        except (aiohttp.ClientError, OSError) as error:
            lost = not isinstance(error, NEVER_SENT)
            why = " ".join(str(error).split()) or type(error).__name__
            detail = f"{'lost the' if lost else 'no'} connection to {self.server}: {why}"
            raise Failure("connection", detail, again=True, lost=lost) from error

    def open(self) -> None:
        """What the first request would else wait for."""
        if self._session:
            return
        self._proxy = self._find_proxy()
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=IDLE, ssl=self._trusted())
        settings = {"timeout": aiohttp.ClientTimeout(total=None), "cookie_jar": aiohttp.DummyCookieJar()}
        settings |= {"max_line_size": LONGEST_HEADER, "max_field_size": LONGEST_HEADER}
        self._session = aiohttp.ClientSession(connector=connector, headers=self.headers, **settings)

    async def close(self) -> None:
        if self._session:
            await self._session.close()

    def _trusted(self):
        """The certificates of the official clients."""
        if self.address.scheme != "https":
            return True
        import httpx2

        return httpx2.create_ssl_context()

    def _find_proxy(self):
        if urllib.request.proxy_bypass(f"{self.address.host}:{self.address.port}"):
            return None
        proxies = urllib.request.getproxies()
        proxy = proxies.get(self.address.scheme) or proxies.get("all")
        if proxy and "://" not in proxy:
            proxy = f"http://{proxy}"
        if proxy and not proxy.startswith(("http://", "https://")):
            kind, host = proxy.partition("://")[0], self.address.host
            expected = "expected one that begins with http://"
            raise ModelError(f"{self.server}: the environment names a {kind} proxy, {expected}, or NO_PROXY={host}")
        return proxy

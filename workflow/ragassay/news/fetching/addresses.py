"""What one fetch may do: its limits, and which URLs and addresses it may ask for: http and https only, and only
public addresses unless the host is the user's own. A name is looked up once and the connection made to that address;
if one of a host's addresses is not public, none is used. What is public is decided by lists of our own, because
Python's changed between releases."""

import asyncio
import re
import socket
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from yarl import URL

from ragassay.base.errors import AssayError
from ragassay.news.fetching.links import BROKEN, is_host

CLOSED_V4 = """0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3"""
CLOSED_V6 = "2001::/23 2001:db8::/32 2002::/16 3fff::/20"
CLOSED = [ip_network(text) for text in (CLOSED_V4 + " " + CLOSED_V6).split()]
OPEN_V6 = ip_network("2000::/3")
NAT64 = ip_network("64:ff9b::/96")
NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
MOST = 8  # addresses of one host to look at
LOOK_UPS = 1000  # at a time, of different names: a dead one holds its thread long after the last request gave up
Address = IPv4Address | IPv6Address


@dataclass(frozen=True)
class FetchLimits:
    """Of one fetch."""

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


def public(address: Address) -> bool:
    if address.version == 6:
        if address.scope_id is not None:
            return False
        if address in NAT64:
            return public(IPv4Address(int(address) & 0xFFFF_FFFF))
        if address not in OPEN_V6:
            return False
    return not any(address in network for network in CLOSED)


@dataclass(frozen=True)
class Target:
    """A URL that may be asked for, as far as can be told without a look-up."""

    url: URL
    host: str  # lower case, ASCII, without a dot at the end
    port: int
    own: bool  # one of the user's own hosts
    literal: Address | None = None  # the address that the host is, if it is no name

    @property
    def tls(self) -> bool:
        return self.url.scheme == "https"

    @property
    def origin(self) -> str:
        return f"{self.url.scheme}://{self.authority}"

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.url.is_default_port() else f"{host}:{self.port}"


class Addresses:
    """The gate that all URLs pass. `allow_hosts` holds names or addresses, `connect_to` maps a name to `address:port`;
    both are the user's own hosts, for which any address will do. Those of `allow_hosts` are open only to what the user
    names and to what is named there.
    """

    def __init__(self, allow_hosts: Iterable[str] = (), connect_to: Mapping[str, str] | None = None, resolve=None):
        self.allowed = {host.lower().rstrip(".") for host in allow_hosts}
        self.connect_to = {host.lower().rstrip("."): _end(host, end) for host, end in (connect_to or {}).items()}
        self.threads = None if resolve else ThreadPoolExecutor(LOOK_UPS, "look-up")
        self.looking = {}  # (name, port) -> a look-up under way
        self.resolve = resolve or self._look_up

    def close(self) -> None:
        if self.threads:
            self.threads.shutdown(wait=False, cancel_futures=True)

    def allows(self, host: str, port: int) -> bool:
        """Whether `allow_hosts` names it."""
        return not {host, f"{host}:{port}"}.isdisjoint(self.allowed)

    def target(self, text: str, base: URL | None, limits: FetchLimits, trusted: bool = True) -> Target:
        """What `text` points to, seen from `base`; `trusted` if the user or one of the user's own hosts says so."""
        if len(text) > limits.url_length:
            raise Failed("bad_url", f"a URL of {len(text)} characters")
        try:
            url = URL(text.strip())
            url = (base.join(url) if base else url).with_fragment(None)
            port, host = url.port, (url.raw_host or "").lower().rstrip(".")
        except (*BROKEN, TypeError) as error:
            raise Failed("bad_url", f"{text[:200]!r} is no URL: {error}") from None
        if url.scheme not in ("http", "https"):
            raise Failed("bad_scheme", f"{text[:200]!r} is neither http nor https")
        if url.raw_user is not None or url.raw_password is not None:
            raise Failed("bad_url", f"a URL with a user name in it, at {host}")
        literal = _literal(host)
        host = str(literal) if literal else host
        if not is_host(host) or not port:
            raise Failed("bad_url", f"{text[:200]!r} has no host and port that can be asked")
        is_own = host in self.connect_to or (trusted and self.allows(host, port))
        if not is_own and port not in (80, 443) and port < 1024:
            raise Failed("refused_port", f"{host} port {port} is no place for a web server")
        return Target(url, host, port, is_own, literal)

    async def vetted(self, target: Target, limits: FetchLimits) -> list[tuple[Address, int]]:
        """Where to connect for this request."""
        if target.host in self.connect_to:
            return [self.connect_to[target.host]]
        addresses = [target.literal] if target.literal else await self._addresses(target, limits)
        for address in addresses:
            if not target.own and not public(address):
                raise Failed("refused_address", f"{target.host} is at {address}, which is no public address")
        return [(address, target.port) for address in addresses]

    async def _addresses(self, target, limits):
        try:
            async with asyncio.timeout(limits.connect_seconds):
                texts = await self.resolve(target.host, target.port)
            addresses = [ip_address(text) for text in list(dict.fromkeys(texts))[:MOST]]
        except TimeoutError:
            raise Failed("dns", f"no address of {target.host} within {limits.connect_seconds:g} s") from None
        except (OSError, ValueError) as error:
            raise Failed("dns", f"no address of {target.host}: {error}") from None
        if not addresses:
            raise Failed("dns", f"{target.host} has no address")
        return addresses

    async def _look_up(self, host, port):
        """Requests for a name that is being looked up share the answer."""
        if (host, port) not in self.looking:
            loop, look = asyncio.get_running_loop(), socket.getaddrinfo
            looking = loop.run_in_executor(self.threads, lambda: look(host, port, type=socket.SOCK_STREAM))
            looking.add_done_callback(lambda _: self.looking.pop((host, port)))
            self.looking[host, port] = looking
        return [address[0] for *_, address in await asyncio.shield(self.looking[host, port])]


def _literal(host: str) -> Address | None:
    """The address that a host spells in the usual way; other spellings of numbers, which some systems read as
    addresses, are refused.
    """
    try:
        return ip_address(host)
    except ValueError:
        if NUMBER.fullmatch(host.rpartition(".")[2]):
            raise Failed("refused_address", f"{host} is an address in an unusual spelling") from None
        return None


def _end(host, end):
    address, _, port = end.rpartition(":")
    try:
        return ip_address(address.strip("[]")), int(port)
    except ValueError:
        raise AssayError(
            f"connect_to sends {host} to {end!r}; it has to be an address and a port, such as 127.0.0.1:8080"
        ) from None

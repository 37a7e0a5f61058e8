"""The one way to things outside: feeds, robots files and pages. Each request goes to an address that was vetted for
it, one at a time per host with a pause in between, if robots.txt and the user's opt-outs let it; redirects pass all
of this again. Whatever the other side does, `fetch` returns an outcome and a line for people; it does not retry, and
keeps no cookies."""

import asyncio
import contextlib
import datetime
import email.utils
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from ragassay.base.errors import AssayError
from ragassay.news.fetching import robots
from ragassay.news.fetching.addresses import Addresses, Failed, FetchLimits
from ragassay.news.fetching.http import WANTED, Exchange, HttpAnswer
from ragassay.news.fetching.spacing import Spacing

KEPT = """content-type content-language etag last-modified date retry-after x-robots-tag
tdm-reservation tdm-policy""".split()
LONGEST_HEADER = 500
CONTACT = re.compile(r"[^\s@()<>,;]+@[^\s@()<>,;]+\.[a-z]{2,}|https?://[^\s/.]+\.[^\s]+", re.IGNORECASE)
PRINTABLE = re.compile(r"[\x21-\x7e]([\x20-\x7e]{0,298}[\x21-\x7e])?")
REDIRECTS = {301, 302, 303, 307, 308}
BUSY = {429, 503}
BUSY_GAPS = 10  # the pause after these if the host names none


@dataclass(frozen=True)
class Fetched:
    url: str
    final_url: str  # the last one that was to be asked for
    status: int  # 0 if there was no answer
    headers: dict[str, str]  # lower-case names, only those in KEPT
    body: bytes  # decoded; empty unless the outcome is ok
    fetched_at: datetime.datetime
    outcome: str
    detail: str = ""
    wire_bytes: int = 0  # of the body, as they came


class Visit:
    """What one fetch has seen so far, and the seconds that it may still spend on the network."""

    def __init__(self, url: str, seconds: float, headers: dict[str, str], cap: int, cut: bool = False):
        self.url = self.final_url = url
        self.left, self.headers, self.cap, self.cut = seconds, headers, cap, cut
        self.status, self.kept, self.redirected = 0, {}, False

    @contextlib.asynccontextmanager
    async def clock(self):
        loop = asyncio.get_running_loop()
        start = loop.time()
        try:
            async with asyncio.timeout(max(self.left, 0)):
                yield
        except TimeoutError:
            raise Failed("timeout", f"{self.final_url}: not done in time") from None
        finally:
            self.left -= loop.time() - start

    def see(self, status: int, headers: dict[str, str]) -> None:
        self.status = status
        self.kept = {name: headers[name][:LONGEST_HEADER] for name in KEPT if name in headers}

    def ended(self, outcome: str, detail: str = "", answer: HttpAnswer | None = None) -> Fetched:
        body, size = (answer.body, answer.wire_bytes) if answer and outcome == "ok" else (b"", 0)
        now = datetime.datetime.now(datetime.UTC)
        return Fetched(self.url, self.final_url, self.status, self.kept, body, now, outcome, detail, size)


class Fetcher:
    """`gap` is the least pause at a host, `own_gap` that at hosts in `allow_hosts` (names or addresses, a port may
    follow) and `connect_to` (name -> address:port); `spacing_folder` is shared with all jobs that may meet at a host.
    """

    def __init__(
        self,
        user_agent: str,
        spacing_folder,
        allow_hosts=(),
        connect_to=None,
        gap: float = 2.0,
        own_gap: float = 0.05,
        limits: FetchLimits | None = None,
        opted_out: Callable[[str], bool] = lambda url: False,
        connections: int = 256,
        resolve=None,
        open_connection=asyncio.open_connection,
    ):
        if not PRINTABLE.fullmatch(user_agent):
            raise AssayError(f"the User-Agent {user_agent!r} has to be one line of up to 300 plain characters")
        self.user_agent, self.robot = user_agent, re.split(r"[/\s]", user_agent)[0]
        self.gap, self.own_gap, self.opted_out = gap, own_gap, opted_out
        self.limits = limits or FetchLimits()
        self.addresses = Addresses(allow_hosts, connect_to, resolve)
        self.spacing, self.rules = Spacing(spacing_folder), robots.RulesCache(spacing_folder)
        self.exchange = Exchange(self.limits, open_connection)
        self.connections = asyncio.Semaphore(connections)
        self.asking = defaultdict(asyncio.Lock)  # for robots.txt of an origin

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.addresses.close()
        await asyncio.sleep(0)  # the loop drops the last connections

    async def fetch(
        self, url: str, etag: str | None = None, modified: str | None = None, named: bool = True
    ) -> Fetched:
        """Never raises for what the other side does. With the ETag or Last-Modified of an earlier answer, the outcome
        may be not_modified, without a body. `named`: by the user or at one of the user's own hosts, and not by others,
        to whom `allow_hosts` opens nothing.
        """
        checks = {"If-None-Match": etag, "If-Modified-Since": modified}
        checks = {name: value for name, value in checks.items() if value and PRINTABLE.fullmatch(value)}
        visit = Visit(url, self.limits.total_seconds, checks, self.limits.decoded_bytes)
        try:
            target = self.addresses.target(url, None, self.limits, named)
            if not target.own and not CONTACT.search(self.user_agent):
                raise AssayError(
                    f"the User-Agent {self.user_agent!r} names no mail address or web page, so {target.host} could not "
                    "tell you to stop: set crawl.contact before anything but your own hosts is fetched"
                )
            answer = await self._follow(target, visit, obey=True)
        except Failed as failed:
            return visit.ended(failed.outcome, failed.detail)
        if answer.status == 304:
            return visit.ended("not_modified") if checks else visit.ended("bad_response", "not modified since when?")
        return visit.ended(_outcome(answer.status), "", answer)

    def is_own(self, url: str) -> bool:
        """Whether it lies at one of the user's own hosts."""
        try:
            return self.addresses.target(url, None, self.limits).own
        except Failed:
            return False

    async def _follow(self, target, visit, obey):
        """The answer at the end of the redirects."""
        for _ in range(self.limits.redirects + 1):
            visit.final_url = str(target.url)
            answer = await self._ask(target, visit, obey)
            if answer.status not in REDIRECTS:
                return answer
            if not (location := answer.headers.get("location")):
                raise Failed("bad_response", f"{target.url} redirects to nowhere")
            with contextlib.suppress(UnicodeError):  # headers are read as Latin-1, most servers mean UTF-8
                location = location.encode("latin-1").decode()
            visit.redirected = True
            target = self.addresses.target(location, target.url, self.limits, target.own)
        raise Failed("too_many_redirects", f"more than {self.limits.redirects} redirects, the last to {target.url}")

    async def _ask(self, target, visit, obey):
        if self.opted_out(str(target.url)):
            raise Failed("opted_out", f"{target.url} is on the list of opt-outs")
        if not target.own and not CONTACT.search(self.user_agent):
            raise Failed("no_contact", f"redirected to {target.host}, and the User-Agent names no contact")
        gap = self.own_gap if target.own else self.gap
        pause = max(gap, await self._pause(target, visit)) if obey else gap
        headers = {"User-Agent": self.user_agent, **visit.headers}
        async with self.spacing.turn(target.host, pause, self.limits.patience) as turn, self.connections:
            async with visit.clock():
                ends = await self.addresses.vetted(target, self.limits)
                answer = await self.exchange.ask(target, ends, headers, visit.cap, visit.cut, visit.see)
            if answer.status in BUSY:
                turn.leave_alone(_retry_after(answer.headers.get("retry-after"), BUSY_GAPS * pause))
        return answer

    async def _pause(self, target, visit):
        """The pause that robots.txt asks for; Failed if it forbids the URL."""
        rules = await self._rules(target, visit)
        if rules.outcome != "ok":
            raise Failed(rules.outcome, f"robots.txt of {target.host}: {rules.detail}")
        if not rules.allows(str(target.url), self.robot):
            raise Failed("disallowed", f"robots.txt of {target.host} forbids {target.url}")
        if (delay := rules.delay(self.robot)) > self.limits.crawl_delay:
            raise Failed("crawl_delay", f"robots.txt of {target.host} asks for pauses of {delay:g} s")
        return delay

    async def _rules(self, target, visit):
        async with self.asking[target.origin]:
            if rules := self.rules.get(target.origin):
                return rules
            given = min(self.limits.robots_seconds, visit.left)
            look = Visit(f"{target.origin}/robots.txt", given, {}, self.limits.robots_bytes, cut=True)
            try:
                where = self.addresses.target(look.url, None, self.limits, target.own)
                answer = await self._follow(where, look, obey=False)
                outcome, detail, body = _outcome(answer.status), "", answer.body
            except Failed as failed:
                outcome, detail, body = failed.outcome, failed.detail, b""
            visit.left -= given - look.left
            closed = outcome == "refused_address" and self.addresses.allows(target.host, target.port)  # to strangers
            if outcome == "put_off" or closed or (outcome == "timeout" and given < self.limits.robots_seconds):
                raise Failed(outcome, detail)  # does not concern the rules
            rules = robots.answered(outcome, detail, body, look.redirected)
            self.rules.put(target.origin, rules)
            return rules


def _outcome(status: int) -> str:
    return "ok" if status in WANTED else f"http_{status}"


def _retry_after(text: str | None, otherwise: float) -> float:
    """Seconds, from a number or a date."""
    if text and text.strip().isdecimal():
        return float(text.strip()[:9])
    try:
        date = email.utils.parsedate_to_datetime(text or "")
    except (ValueError, TypeError, IndexError, OverflowError):
        return otherwise
    date = date if date.tzinfo else date.replace(tzinfo=datetime.UTC)
    return (date - datetime.datetime.now(datetime.UTC)).total_seconds()

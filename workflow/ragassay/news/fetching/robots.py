"""What robots.txt of an origin lets us do: Protego reads it, memory and the spacing folder keep it for a day, for all
jobs. A host that cannot say what is allowed (server errors, 429, silence, files too costly to read) is not asked for
pages for ten minutes; any other 4xx means that there are no rules."""

import json
import math
import re
import time
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from protego import Protego

from ragassay.base import atomic
from ragassay.news._charsets import marked
from ragassay.news.fetching.spacing import file_of

DAY, SHORT = 86_400.0, 600.0
MOST_WORK = 2_000_000  # lines x user agents: Protego gives each rule to each agent of its group
# Robots are usually named without a version; a rule for our full User-Agent means us, too.
VERSION = re.compile(r"^(\s*user[ -]?agent\s*:\s*[\w-]+)/.*", re.IGNORECASE | re.ASCII)
DEAD = {"dns", "connection", "tls", "refused_address", "refused_port"}  # the host's own class, not robots.txt's


@dataclass(frozen=True)
class Rules:
    """For one origin. `outcome` is ok, or the class that all its pages get."""

    outcome: str
    detail: str
    text: str
    read_at: float

    def fresh(self) -> bool:
        return 0 <= time.time() - self.read_at < (DAY if self.outcome == "ok" else SHORT)

    def allows(self, url: str, robot: str) -> bool:
        return self._parsed.can_fetch(url, robot)

    def delay(self, robot: str) -> float:
        """The pause that Crawl-delay or Request-rate ask for."""
        rate = self._parsed.request_rate(robot)
        try:
            of_rate = rate.seconds / rate.requests if rate else 0.0
        except OverflowError:  # a number of hundreds of digits
            of_rate = math.inf
        return max(self._parsed.crawl_delay(robot) or 0.0, of_rate)

    @cached_property
    def _parsed(self):
        lines = (VERSION.sub(r"\1", line) if "/" in line else line for line in self.text.splitlines())
        return Protego.parse("\n".join(lines))


def rules(body: bytes) -> Rules:
    """The rules in a file; too costly ones forbid everything."""
    by_mark = marked(body)
    text = by_mark[0] if by_mark else body.decode(errors="replace")
    lines = text.splitlines()
    agents = sum("agent" in line.lower() for line in lines)
    if len(lines) * agents > MOST_WORK:
        return unavailable(f"{len(lines)} lines for {agents} robots are too many to read")
    return Rules("ok", "", text, time.time())


def answered(outcome: str, detail: str, body: bytes, redirected: bool) -> Rules:
    """What the outcome of fetching robots.txt means."""
    if outcome == "ok":
        return rules(body)
    if outcome == "http_204" or (outcome.startswith("http_4") and outcome != "http_429"):
        return rules(b"")
    if outcome in DEAD and not redirected:
        return Rules(outcome, detail, "", time.time())
    return unavailable(f"{outcome}: {detail}" if detail else outcome)


def unavailable(detail: str) -> Rules:
    return Rules("robots_unavailable", detail, "", time.time())


class RulesCache:
    """Rules by origin, in memory and in a folder. Dead hosts are not written down: the fault may be ours."""

    def __init__(self, folder, most: int = 2000):
        self.folder, self.most = Path(folder), most
        self.memory = {}

    def get(self, origin: str) -> Rules | None:
        kept = self.memory.get(origin) or self._read(origin)
        if kept and kept.fresh():
            self._remember(origin, kept)
            return kept
        return None

    def put(self, origin: str, kept: Rules) -> None:
        self._remember(origin, kept)
        if kept.outcome not in DEAD:
            path = self._path(origin)
            temporary = atomic.beside(path, "tmp")
            temporary.write_text(json.dumps(asdict(kept)))
            temporary.replace(path)  # not forced to disk: a torn one is read again, and hundreds would delay a crawl

    def _remember(self, origin, kept):
        self.memory.pop(origin, None)
        self.memory[origin] = kept
        if len(self.memory) > self.most:
            del self.memory[next(iter(self.memory))]

    def _read(self, origin):
        try:
            return Rules(**json.loads(self._path(origin).read_text()))
        except (FileNotFoundError, ValueError, TypeError):  # none yet, or of another version
            return None

    def _path(self, origin):
        return file_of(self.folder, quote(origin, safe=""), "robots")

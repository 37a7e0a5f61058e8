"""The cases of the hostile suite: behaviours of a server, answers of a name server, and URLs that nobody should have
asked for; each with the class in which its fetch has to end.
"""

import asyncio
import random
import socket
from dataclasses import dataclass
from types import SimpleNamespace

from attackers.behaviour import HEADS
from attackers.bodies import BODIES
from attackers.places import BAD, PAGES, SCHEMES, filled, private

KINDS = HEADS | BODIES | PAGES
# Hosts to which others redirect -> their behaviour.
COMPANIONS = {"robots_forbid": "robots_forbid", "redirect_between_hosts_again": "redirect_between_hosts"}
URLS = {  # name -> (expected class, URL)
    "url_private": ("refused_address", private),
    "url_scheme": ("bad_scheme", lambda dice, place: filled(dice.choice(SCHEMES), place)),
    "url_nonsense": ("bad_url", lambda dice, place: filled(dice.choice(BAD[:-2]), place, "public.test")),
    "url_port": ("refused_port", lambda dice, place: f"http://public.test:{dice.randint(1, 79)}/"),
}
PUBLIC = ("23.45.67.89", "2a00:1450:4001:81b::200e", "64:ff9b::172d:4359")  # never connected to: see Suite.connect
CLOSED = ("127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "::ffff:23.45.67.89", "fd00::1", "fe80::1%1", "ff02::1")
CLOSED += ("64:ff9b::a00:1", "2002:a00:1::", "2001::1", "0.0.0.0", "::", "192.168.1.1", "100.64.0.1", "172.31.0.1")


@dataclass(frozen=True)
class Case:
    kind: str
    number: int
    url: str
    expected: str  # a class, or its beginning if it ends with _
    fetches: int = 1

    @property
    def host(self) -> str:
        return f"{self.kind}-{self.number}.test"

    def dice(self) -> random.Random:
        return random.Random(f"{self.kind}-{self.number}")

    def as_expected(self, outcome: str) -> bool:
        return outcome.startswith(self.expected) if self.expected.endswith("_") else outcome == self.expected


async def dns_private(dice, times):
    return [dice.choice(CLOSED)]


async def dns_mixed(dice, times):
    return dice.sample([dice.choice(PUBLIC), dice.choice(CLOSED), *PUBLIC], 5)


async def dns_rebinding(dice, times):
    """Public for robots.txt, private for the page."""
    return [dice.choice(PUBLIC)] if times == 1 else [dice.choice(CLOSED)]


async def dns_public(dice, times):
    return [dice.choice(PUBLIC)]


async def dns_many(dice, times):
    return [f"23.45.{n // 256}.{n % 256}" for n in range(dice.randint(100, 10_000))]


async def dns_nonsense(dice, times):
    return dice.choice([[], ["nowhere"], ["999.1.1.1"], ["0x7f.1"], ["23.45.67.89", ""], ["127.0.0.1:80"]])


async def dns_error(dice, times):
    raise dice.choice([socket.gaierror(-2, "Name or service not known"), UnicodeError("label too long")])


async def dns_slow(dice, times):
    await asyncio.sleep(100)


NAMES = {  # name -> (expected class, answers)
    "dns_private": ("refused_address", dns_private),
    "dns_mixed": ("refused_address", dns_mixed),
    "dns_rebinding": ("refused_address", dns_rebinding),
    "dns_public": ("ok", dns_public),
    "dns_to_own": ("refused_address", dns_public),
    "dns_many": ("ok", dns_many),
    "dns_nonsense": ("dns", dns_nonsense),
    "dns_error": ("dns", dns_error),
    "dns_slow": ("dns", dns_slow),
}
PLACES = {"closed_port": "connection", "full_queue": "connection", "no_tls": "tls"}


class NameServer:
    """Answers as the kind in the name says, and counts how often it was asked."""

    def __init__(self):
        self.asked = {}

    async def __call__(self, host, port):
        kind = host.partition("-")[0]
        times = self.asked[host] = self.asked.get(host, 0) + 1
        if kind in NAMES:
            return await NAMES[kind][1](random.Random(f"{host} {times}"), times)
        return ["127.0.0.1", "::1"]


def cases(count: int, victims: tuple[int, int]) -> list[Case]:
    """All kinds in turn, so that any number of cases holds about as many of each; shuffled."""
    place = SimpleNamespace(victims=victims)
    expected = {name: expected for table in (KINDS, URLS, NAMES) for name, (expected, _) in table.items()} | PLACES
    found = []
    for number in range(count):
        kind = list(expected)[number % len(expected)]
        case = Case(kind, number, f"http://{kind}-{number}.test/{number}", expected[kind], 2 if kind == "busy" else 1)
        if kind in URLS:
            case = Case(kind, number, URLS[kind][1](case.dice(), place), case.expected)
            if case.url.startswith("//"):
                case = Case(kind, number, f"http:{case.url}", case.expected)
        elif kind == "no_tls":
            case = Case(kind, number, case.url.replace("http:", "https:"), case.expected)
        elif kind == "robots_stars":
            case = Case(kind, number, case.url + "a" * 3000, case.expected)
        found.append(case)
    random.Random(count).shuffle(found)
    return found


def connections(found: list[Case], ports: dict, closed: int) -> dict[str, str]:
    """Where the hosts of the cases are; the names of a name server's cases are looked up instead."""
    own = {"closed_port": closed, "full_queue": ports["full"]}
    hosts = {case.host: own.get(case.kind, ports["server"]) for case in found if case.kind not in NAMES}
    hosts |= {f"{kind}-{case.number}.test": ports["server"] for case in found for kind in COMPANIONS}
    return {host: f"127.0.0.1:{port}" for host, port in hosts.items()}

"""The gate for URLs: which may be asked for, and at which addresses."""

import asyncio
import socket
import threading
from ipaddress import ip_address

import pytest

from ragassay.base.errors import AssayError
from ragassay.news.fetching.addresses import Addresses, Failed, FetchLimits, public
from servers import Web, answer, fetch

CLOSED = """0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1
172.31.255.255 192.0.0.9 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255
240.0.0.1 255.255.255.255 :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe
64:ff9b:1::808:808 100::1 2001::1 2001:2::1 2001:db8::1 2002:7f00:1:: 2002:808:808:: 3fff::1 4000::1 fc00::1 fd00::1
fe80::1 fe80::1%eth0 fec0::1 ff02::1 ff0e::1 2a00:1450::1%1""".split()
OPEN = "1.1.1.1 8.8.8.8 100.63.0.1 100.128.0.1 172.32.0.1 223.255.255.255 2606:4700::1111 2001:200::1 64:ff9b::808:808"


@pytest.mark.parametrize("text", CLOSED)
def test_closed_addresses(text):
    assert not public(ip_address(text))


@pytest.mark.parametrize("text", OPEN.split())
def test_public_addresses(text):
    assert public(ip_address(text))


NO_TARGETS = {
    "bad_scheme": ["file:///etc/passwd", "ftp://example.org/", "javascript:alert(1)", "/path", ""],
    "bad_url": ["http://", "http://[::1/", "http://[]@", "http://[a:b]/", "http://example.org:99999/"],
    "refused_address": ["http://0x7f.1/", "http://2130706433/", "http://0177.0.0.1/", "http://127.1/"],
    "refused_port": ["https://example.org:22/"],
}
NO_TARGETS["bad_url"] += ["http://example.org:0/", "http://me:secret@example.org/", "http://two words/"]
NO_TARGETS["bad_url"] += ["http://example.org/" + "x" * 5000, "http://example-.org/", f"http://{'a' * 64}.org/"]
NO_TARGETS["refused_address"] += ["http://%31%32%37.0.0.1/"]


@pytest.mark.parametrize(("url", "outcome"), [(url, outcome) for outcome, urls in NO_TARGETS.items() for url in urls])
def test_urls_that_are_no_targets(url, outcome):
    with pytest.raises(Failed) as failed:
        Addresses(resolve=nobody).target(url, None, FetchLimits())
    assert failed.value.outcome == outcome


@pytest.mark.parametrize(
    ("url", "host", "port", "asked"),
    [
        ("HTTP://Example.ORG.", "example.org", 80, "http://example.org."),
        ("https://straße.de/ü?q=ä#top", "xn--strae-oqa.de", 443, "https://xn--strae-oqa.de/%C3%BC?q=%C3%A4"),
        (" http://[2606:4700:0::1111]:8080/a ", "2606:4700::1111", 8080, "http://[2606:4700::1111]:8080/a"),
        ("http://１.１.１.１/", "1.1.1.1", 80, "http://1.1.1.1/"),
    ],
)
def test_what_a_url_points_to(url, host, port, asked):
    target = Addresses(resolve=nobody).target(url, None, FetchLimits())
    assert (target.host, target.port, target.own) == (host, port, False)
    assert str(target.url) == asked


async def nobody(host, port):
    raise AssertionError("nothing has to be looked up")


def vetted(url, *found, **settings):
    async def resolve(host, port):
        return found

    async def run():
        gate = Addresses(resolve=resolve, **settings)
        return [str(address) for address, _ in await gate.vetted(gate.target(url, None, FetchLimits()), FetchLimits())]

    return asyncio.run(run())


def test_a_name_is_at_its_public_addresses():
    assert vetted("http://a.test/", "8.8.8.8", "2606:4700::1111", "8.8.8.8") == ["8.8.8.8", "2606:4700::1111"]


@pytest.mark.parametrize("found", [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["fe80::1%1"], ["::ffff:1.1.1.1"]])
def test_one_closed_address_closes_a_name(found):
    with pytest.raises(Failed, match="refused_address"):
        vetted("http://a.test/", *found)


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://[::1]:8080/", "http://①②⑦.⓪.⓪.①/", "http://127.0.0.1./"])
def test_addresses_in_urls_are_judged_too(url):
    with pytest.raises(Failed, match="refused_address"):
        vetted(url)


@pytest.mark.parametrize("allowed", ["a.test", "A.TEST.", "a.test:81"])
def test_own_hosts_may_be_anywhere(allowed):
    assert vetted("http://a.test:81/", "127.0.0.1", allow_hosts=[allowed]) == ["127.0.0.1"]


@pytest.mark.parametrize("allowed", ["b.test", "a.test:80", "test"])
def test_other_hosts_are_not_own(allowed):
    with pytest.raises(Failed, match="refused_address"):
        vetted("http://a.test:8080/", "127.0.0.1", allow_hosts=[allowed])


@pytest.mark.parametrize("found", [[], ["nowhere"], ["127.1"]])
def test_answers_of_name_servers_that_are_none(found):
    with pytest.raises(Failed, match="dns"):
        vetted("http://a.test/", *found)


def test_names_are_looked_up_by_the_system():
    assert fetch({}, "http://no-such-name.invalid/")[0].outcome == "dns"


def test_names_that_nobody_answers_for_do_not_hold_up_others(monkeypatch):
    """Each dead name is asked for several times at once, as by the pages of its host, and holds one thread."""
    answered, looked_up = threading.Event(), []

    def getaddrinfo(host, port, **_):
        looked_up.append(host)
        if host.startswith("dead"):
            answered.wait()
        return [(None, None, None, None, ("8.8.8.8", port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    async def run():
        gate, limits = Addresses(), FetchLimits(connect_seconds=2.0)

        async def look(host):
            try:
                return len(await gate.vetted(gate.target(f"http://{host}/", None, limits), limits))
            except Failed as failed:
                return failed.outcome

        try:
            dead = asyncio.gather(*(look(f"dead{number}.test") for number in range(200) for _ in range(3)))
            await asyncio.sleep(0)
            live = await asyncio.gather(*(look(f"live{number}.test") for number in range(40)))
            return live, await dead
        finally:
            answered.set()
            gate.close()

    live, dead = asyncio.run(run())
    assert live == [1] * 40 and dead == ["dns"] * 600
    assert len(looked_up) == len(set(looked_up)) == 240


@pytest.mark.parametrize("end", ["localhost:80", "127.0.0.1", "127.0.0.1:port"])
def test_connect_to_needs_address_and_port(end):
    with pytest.raises(AssayError, match=r"a\.test to"):
        Addresses(connect_to={"a.test": end})


def test_the_connection_goes_to_the_address_that_was_vetted():
    """The name server says something else each time; one look-up per request decides."""
    looked_up, connected = [], []

    async def resolve(host, port):
        looked_up.append(f"8.8.8.{len(looked_up)}")
        return [looked_up[-1]]

    async def run():
        async with Web({"/": answer(b"x")}) as web:

            async def connect(host, port, **options):
                connected.append(host)
                return await asyncio.open_connection("127.0.0.1", web.port, **options)

            async with web.fetcher(connect_to={}, resolve=resolve, open_connection=connect, gap=0) as fetcher:
                return await fetcher.fetch("http://a.test/")

    assert asyncio.run(run()).outcome == "ok"
    assert connected == looked_up == ["8.8.8.0", "8.8.8.1"]  # robots.txt, page


def test_the_second_address_is_tried_too():
    async def resolve(host, port):
        return ["127.0.0.2", "127.0.0.1"]

    async def run():
        settings = {"connect_to": {}, "allow_hosts": ["a.test"], "resolve": resolve}
        async with Web({"/": answer(b"x")}) as web, web.fetcher(**settings) as fetcher:  # on 127.0.0.1 only
            return await fetcher.fetch(f"http://a.test:{web.port}/")

    assert asyncio.run(run()).outcome == "ok"

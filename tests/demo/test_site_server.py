"""The demo site as a server: for each host its pages, with the manners that a crawl relies on."""

import asyncio
import contextlib
import gzip
import http.client
import shutil
import socket

import aiohttp
import pytest

from demo.site_server import LocalSite
from project import ROOT

ARTICLES = ROOT / "resources/demo/articles"
HOST = "www.tolvenecho.example"
PATH = "/2026/10/avalanche-radar-road"


@pytest.fixture(scope="module")
def site():
    with LocalSite(ARTICLES) as running:
        yield running


def get(site, path=PATH, host=HOST, method="GET", **headers):
    """Status, headers and body, by way of connect_to; keyword names become header names."""
    address, port = site.connect_to.get(host, f"127.0.0.1:{site.port}").split(":")
    connection = http.client.HTTPConnection(address, int(port))
    with contextlib.closing(connection):
        asked = {"Host": host} | {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers=asked)
        reply = connection.getresponse()
        return reply.status, reply.headers, reply.read()


def test_each_host_has_its_own_pages(site):
    status, headers, body = get(site)
    assert status == 200 and b"Radar will shut the Tolven road" in body
    assert headers["Content-Type"] == "text/html; charset=utf-8" and headers["Content-Length"] == str(len(body))
    assert get(site, host="www.tableandtide.example")[0] == 404
    assert get(site, host="www.elsewhere.example")[0] == 421
    assert get(site, host=f"{HOST}:80")[0] == 200
    assert get(site, method="POST")[0] == 405
    assert get(site, method="HEAD")[::2] == (200, b"")
    assert get(site, PATH + "?utm_source=feed")[0] == 200


def test_every_feed_is_served(site):
    statuses = {}
    for topic, url in site.feeds:
        host, slash, path = url.removeprefix("http://").partition("/")
        statuses[topic, url] = get(site, slash + path, host)[0]
    assert list(statuses.values()).count(200) == len(site.feeds) - 1
    assert statuses["music", "http://www.tableandtide.example/feeds/music.xml"] == 404


def test_what_has_not_changed_is_not_sent_again(site):
    _, headers, body = get(site)
    for asked in [
        {"If_None_Match": headers["ETag"]},
        {"If_None_Match": f'"other", W/{headers["ETag"]}'},
        {"If_Modified_Since": headers["Last-Modified"]},
        {"If_Modified_Since": "Sun, 01 Nov 2026 00:00:00 GMT"},
    ]:
        status, again, sent = get(site, **asked)
        assert (status, sent, again["ETag"]) == (304, b"", headers["ETag"])
    for asked in [
        {"If_None_Match": '"other"'},
        {"If_Modified_Since": "Thu, 01 Oct 2026 00:00:00 GMT"},
        {"If_Modified_Since": "yesterday"},
        {"If_None_Match": '"other"', "If_Modified_Since": headers["Last-Modified"]},  # the ETag decides
    ]:
        assert get(site, **asked)[::2] == (200, body)


def test_a_page_without_any_date_has_no_last_modified(site):
    _, headers, _ = get(site, "/guides/rowing-the-sound", "www.brackwatergazette.example")
    assert headers["Last-Modified"] is None and headers["ETag"]


def test_it_is_compressed_for_those_who_take_it(site):
    _, headers, body = get(site, Accept_Encoding="gzip, deflate")
    assert headers["Content-Encoding"] == "gzip" and len(body) < len(gzip.decompress(body)) / 2
    plain = get(site)
    assert plain[1]["Content-Encoding"] is None and plain[2] == gzip.decompress(body)


def test_a_moved_page_says_where_it_is(site):
    status, headers, _ = get(site, "/story/1931")
    assert (status, headers["Location"]) == (301, f"http://{HOST}/2026/09/tolven-railway-reopens")


def test_the_slow_page_holds_up_neither_the_others_nor_the_end(tmp_path):
    shutil.copytree(ARTICLES.parent / "site", tmp_path / "site")
    told = tmp_path / "site/site.yaml"
    told.write_text(told.read_text().replace("old-cannery-fire: 1.0", "old-cannery-fire: 300.0"))
    with LocalSite(ARTICLES, tmp_path / "site") as site:
        slow = http.client.HTTPConnection("127.0.0.1", site.port)
        slow.request("GET", "/2026/09/old-cannery-fire", headers={"Host": "www.brackwatergazette.example"})
        assert get(site)[0] == 200
    with contextlib.closing(slow), pytest.raises(ConnectionError):
        slow.getresponse()
    assert [request.path for request in site.requests] == [PATH]


def test_requests_are_kept_in_order_with_host_path_and_status():
    with LocalSite(ARTICLES) as site:
        get(site, "/robots.txt", "www.tableandtide.example")
        get(site)
    assert [request[1:] for request in site.requests] == [
        ("www.tableandtide.example", "/robots.txt", 404),
        (HOST, PATH, 200),
    ]
    assert site.requests[0].time <= site.requests[1].time


def test_it_listens_on_this_machine_only_while_the_block_runs():
    async def ask(site):  # a connection that stays open does not hold up the end
        session = aiohttp.ClientSession()
        async with session.get(f"http://127.0.0.1:{site.port}{PATH}", headers={"Host": HOST}) as reply:
            assert reply.status == 200
        return session

    async def run():
        with LocalSite(ARTICLES) as site, LocalSite(ARTICLES) as other:
            assert site.port != other.port and set(site.connect_to.values()) == {f"127.0.0.1:{site.port}"}
            session = await ask(site)
        await session.close()
        return site.port

    port = asyncio.run(run())
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))

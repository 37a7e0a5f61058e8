"""Who is asked for what by a crawl, and how often, over real connections to a server on this machine."""

import asyncio
import contextlib
import re
import time
from math import inf

import pytest

from news import feed
from ragassay.base.errors import AssayError
from ragassay.documents.readers import Readers
from ragassay.news.crawl import MOST_FAILURES, PAUSES, QUICK, Crawl
from ragassay.news.feeds.candidates import Days
from ragassay.news.feeds.feed import PROGRAM
from ragassay.news.fetching.addresses import FetchLimits
from ragassay.news.fetching.archive import Answers
from ragassay.news.fetching.http import Exchange
from servers import Web, answer, moved

PAGE = answer(b"<p>The harbour is open.</p>")
BUSY = answer(b"", "503 Service Unavailable", retry_after="0")
FEED = b'<?xml version="1.0"?><rss version="2.0"><channel><item><link>/1</link></item></channel></rss>'
HOST = "http://site.test"


@pytest.fixture
def ask(tmp_path):
    """A function that crawls pages; the answers that are kept, and the paths that were asked for without robots.txt."""

    def run(
        pages,
        urls,
        hosts=("site.test",),
        seconds=0.0,
        pauses=(0.0, 0.0, 0.0),
        host_seconds=inf,
        all_seconds=inf,
        **settings,
    ):
        async def crawl():
            async with Web(pages, seconds) as web, web.fetcher(*hosts, **settings) as fetcher:
                with Answers(tmp_path / "ledger/a") as answers:
                    work = Crawl(fetcher, answers, None, "a", pauses, host_seconds, all_seconds)
                    await work.ask(urls)
                    return answers.own, [path for path in web.asked if path != "/robots.txt"], web

        return asyncio.run(crawl())

    return run


def shard(folder, site, hosts=(), pauses=PAUSES, reading=lambda web: Readers(PROGRAM), **settings):
    """The crawl of a shard, its server, and what feeds named and what was wanted; `site` makes of the server the rows
    of the shard, once it has pages.
    """

    async def crawl():
        async with Web() as web:
            rows = site(web)
            given = web.strangers() if "127.0.0.1" in rows[0]["feed_url"] else {}
            with Answers(folder / "a") as answers, reading(web) as readers:
                async with web.fetcher(*hosts, **given, **settings) as fetcher:
                    work = Crawl(fetcher, answers, readers, "a", pauses)
                    return work, web, *await work.shard(rows, Days("2026-10-01", "2026-10-31"))

    return asyncio.run(crawl())


def in_turns(*answers):
    """Each answer once, the last one for ever."""
    left = list(answers)
    return lambda headers: left.pop(0) if len(left) > 1 else left[0]


def test_each_page_is_asked_for_once_and_hosts_side_by_side(ask):
    hosts = [f"site{n}.test" for n in range(5)]
    urls = [f"http://{host}/{n}" for host in hosts for n in range(3)]
    pages = {f"{host}/{n}": PAGE for host in hosts for n in range(3)}
    own, asked, web = ask(pages, urls, hosts, seconds=0.02)
    assert own.keys() == set(urls) and sorted(asked) == sorted(f"/{n}" for n in range(3) for _ in hosts)
    assert max(sum(begin <= moment < end for _, begin, end in web.trace) for _, moment, _ in web.trace) == 5
    assert all(gap >= 0 for host in hosts for gap in web.gaps(host))


def test_failures_that_may_pass_are_tried_again_at_the_end_and_others_are_not(ask):
    pages = {"/1": in_turns(BUSY, BUSY, PAGE), "/2": in_turns(BUSY), "/4": PAGE}
    own, asked, _ = ask(pages, [f"{HOST}/{n}" for n in (1, 2, 3, 4)])
    outcomes = {url: kept.outcome for url, kept in own.items()}
    assert outcomes == {f"{HOST}/1": "ok", f"{HOST}/2": "http_503", f"{HOST}/3": "http_404", f"{HOST}/4": "ok"}
    assert asked == ["/1", "/2", "/3", "/4", "/1", "/2", "/1", "/2"] and own[f"{HOST}/1"].body()


def test_a_host_at_which_all_fails_is_left_in_peace(ask, caplog):
    caplog.set_level("INFO", "ragassay")
    many = [f"{HOST}/{n}" for n in range(100)]
    own, asked, _ = ask(
        {f"/{n}": BUSY for n in range(100)}, [*many, "http://other.test/x"], ("site.test", "other.test")
    )
    assert len(asked) == len(own) == 3 * MOST_FAILURES + 1 and own["http://other.test/x"].outcome == "http_404"
    assert f"site.test failed {MOST_FAILURES} times in a row, the last time: http_503" in caplog.text


def test_a_host_that_takes_too_long_is_left_and_the_next_crawl_goes_on(ask, caplog):
    caplog.set_level("INFO", "ragassay")
    pages, urls = {f"/{n}": PAGE for n in range(5)}, [f"{HOST}/{n}" for n in range(5)]
    hosts = ("site.test", "other.test")
    own, asked, _ = ask(pages, [*urls, "http://other.test/0"], hosts, seconds=0.2, host_seconds=0.5)
    assert own.keys() < {*urls, "http://other.test/0"} and "http://other.test/0" in own and urls[0] in own
    left = (
        f"site.test has taken the 0.000139 hours of crawl.hours_per_host, {6 - len(own)} of its addresses are not asked"
    )
    assert caplog.text.count(left) == 1
    own, again, _ = ask(pages, urls, seconds=0.0)
    assert own.keys() >= set(urls) and len(asked) + len(again) == 6
    assert {kept.outcome for kept in own.values()} == {"ok"}


def test_a_shard_ends_in_time_however_many_hosts_are_slow(ask, caplog):
    caplog.set_level("INFO", "ragassay")
    hosts = [f"site{n}.test" for n in range(5)]
    later = answer(b"", "429 Too Many Requests", retry_after="3600")
    pages = {"/0": PAGE, "/1": later}
    urls = [f"http://{host}/{n}" for host in hosts for n in (0, 1)]
    own, asked, _ = ask(
        pages, urls, hosts, pauses=(0.0, 0.0, 3600.0), all_seconds=2.0, limits=FetchLimits(patience=0.1)
    )
    assert {url for url, kept in own.items() if kept.outcome == "ok"} == {url for url in urls if url.endswith("0")}
    assert sorted(asked) == ["/0"] * 5 + ["/1"] * 5
    assert "the crawl has taken the 0.000556 hours of crawl.hours_per_shard, 1 of its addresses" in caplog.text


def test_a_host_that_wants_to_be_left_alone_is_asked_again_later(ask):
    later = answer(b"", "429 Too Many Requests", retry_after="1")
    pages = {"/1": in_turns(later, PAGE), "/2": PAGE}
    urls = [f"{HOST}/1", f"{HOST}/2"]
    own, asked, web = ask(pages, urls, pauses=(0.0, 1.1), limits=FetchLimits(patience=0.1))
    assert {kept.outcome for kept in own.values()} == {"ok"} and asked == ["/1", "/1", "/2"]
    assert web.gaps()[1] >= 1.0


def test_what_nobody_foresaw_costs_the_address_and_is_asked_again_the_next_time(ask, monkeypatch, caplog):
    urls, ask_for = [f"{HOST}/{n}" for n in (1, 2, 3)], Exchange.ask

    async def stumble(self, target, *rest):
        if target.url.path == "/2":
            raise UnicodeError("a bug of ours: \ud800")
        return await ask_for(self, target, *rest)

    monkeypatch.setattr(Exchange, "ask", stumble)
    pages = {f"/{n}": PAGE for n in (1, 2, 3)}
    own, asked, _ = ask(pages, urls)
    assert {url: kept.outcome for url, kept in own.items()} == dict(zip(urls, ("ok", "crash", "ok"), strict=True))
    detail = own[urls[1]].detail
    assert re.fullmatch(r"reading it raised UnicodeError at fetcher.py:\d+: a bug of ours: \\ud800", detail)
    assert asked == ["/1", "/3"] and f"{urls[1]}: {detail}" in caplog.text and caplog.text.encode()
    monkeypatch.undo()
    own, asked, _ = ask(pages, urls)
    assert {kept.outcome for kept in own.values()} == {"ok"} and asked == ["/2"]


def test_an_error_that_a_person_can_act_on_comes_out_alone(ask):
    urls = [f"{HOST}/1", "http://a.example/", "http://b.example/"]
    with pytest.raises(AssayError, match=r"set crawl\.contact"):
        ask({"/1": PAGE}, urls, seconds=1.0, user_agent="ragassay/0.1")


def test_an_old_address_that_has_no_https_is_asked_under_http(tmp_path):
    def site(web):
        web.pages = {"/feed": answer(FEED), "/other": answer(FEED.replace(b"/1", b"/2"))}
        return [feed(f"{HOST}/feed", https_first=True), feed(f"{HOST}/other")]

    _, web, found, _ = shard(tmp_path, site, limits=FetchLimits(connect_seconds=0.3))
    assert [row["health"] for row in found.health] == ["live", "live"]
    assert found.pages.keys() == {f"{HOST}/1", f"{HOST}/2"}
    assert web.asked == ["/robots.txt", "/other", "/2", "/feed", "/1"]


def test_a_page_at_the_users_own_host_is_fetched_for_a_feed_there_and_not_for_one_of_others(tmp_path):
    """127.0.0.1 is the user's own, and a.example stands for all others."""

    def site(web):
        own, other = f"http://{web.end}", f"http://a.example:{web.port}"
        web.pages = {f"/{n}": PAGE for n in (1, 2, 3)}
        for host, n in ((own, 1), (other, 2)):
            web.pages[f"{host[7:]}/feed"] = answer(FEED.replace(b"/1", f"{own}/{n}".encode()))
        web.pages[f"{own[7:]}/moved"] = moved(f"{other}/third")
        web.pages["/third"] = answer(FEED.replace(b"/1", f"{own}/3".encode()))
        return [feed(f"{own}/feed"), feed(f"{own}/moved"), feed(f"{other}/feed")]

    work, web, *_ = shard(tmp_path, site, pauses=(0.0,))
    outcomes = [work.answers.own[f"http://{web.end}/{n}"].outcome for n in (1, 2, 3)]
    assert outcomes == ["ok", "refused_address", "refused_address"] and not {"/2", "/3"} & set(web.asked)


def test_a_feed_that_fails_at_first_holds_up_no_page_of_another_and_its_own_are_asked(tmp_path):
    def site(web):
        late = in_turns(BUSY, answer(FEED.replace(b"/1", b"/late")))
        web.pages = {"/late-feed": late, "/feed": answer(FEED), "/1": PAGE, "/late": PAGE}
        return [feed("http://late.test/late-feed"), feed(f"{HOST}/feed")]

    _, web, found, wanted = shard(tmp_path, site, ("late.test", "site.test"), (0.0, 1.0, 1.0))
    assert [row["health"] for row in found.health] == ["live", "live"]
    assert wanted == {f"{HOST}/1", "http://late.test/late"}
    asked = web.asked
    at = [place for place, path in enumerate(asked) if path == "/late-feed"]
    assert len(at) == 2 and asked.index("/1") < asked.index("/late") and at[1] < asked.index("/late")
    assert asked.count("/1") == asked.count("/late") == asked.count("/feed") == 1


class SlowReaders:
    """Reads one feed only when it may take long, and not before a page of another is asked for."""

    seconds = 20.0

    def __init__(self, web):
        self.web, self.tries = web, []

    def read(self, documents, seconds=None):
        for url, _, _ in documents:
            self.tries.append((url, seconds))
            if url.endswith("/slow") and seconds == QUICK:
                yield url, {"reason": "timeout", "detail": "not done"}
                continue
            while url.endswith("/slow") and "/1" not in self.web.asked:
                time.sleep(0.01)
            link = "2" if url.endswith("/slow") else "1"
            yield url, {"read": [[[f"{HOST}/{link}", "", "", None]], "live", ""]}


def test_a_feed_that_is_slow_to_read_is_read_beside_the_pages_of_the_others(tmp_path):
    def site(web):
        web.pages = dict.fromkeys(("/feed", "/slow", "/1", "/2"), PAGE)
        return [feed(f"{HOST}/feed"), feed(f"{HOST}/slow")]

    work, web, found, wanted = shard(tmp_path, site, reading=lambda web: contextlib.nullcontext(SlowReaders(web)))
    tries, asked = work.readers.tries, web.asked
    assert [row["health"] for row in found.health] == ["live", "live"] and wanted == {f"{HOST}/1", f"{HOST}/2"}
    assert sorted(tries, key=str) == [(f"{HOST}/feed", QUICK), (f"{HOST}/slow", QUICK), (f"{HOST}/slow", None)]
    assert asked.index("/1") < asked.index("/2")


@pytest.mark.parametrize("first", [None, BUSY])
def test_a_page_at_the_users_own_host_counts_whenever_the_feed_there_comes(tmp_path, first):
    def site(web):
        own, other = f"http://{web.end}", f"http://a.example:{web.port}"
        named = answer(FEED.replace(b"/1", f"{own}/1".encode()))
        web.pages = {"/1": PAGE, f"{own[7:]}/feed": in_turns(*filter(None, [first, named]))}
        web.pages[f"{other[7:]}/feed"] = named
        return [feed(f"{own}/feed"), feed(f"{other}/feed")]

    work, web, *_ = shard(tmp_path, site, pauses=(0.0, 0.0))
    assert work.answers.own[f"http://{web.end}/1"].outcome == "ok"

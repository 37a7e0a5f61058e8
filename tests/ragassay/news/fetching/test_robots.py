"""What robots.txt means, and how long it is remembered."""

import asyncio
import json

import pytest

from ragassay.news.fetching.addresses import FetchLimits
from servers import Web, answer, fetch, moved

PAGE = answer(b"page")


@pytest.mark.parametrize(
    ("text", "path", "outcome"),
    [
        ("", "/a", "ok"),
        ("User-agent: *\nDisallow: /", "/a", "disallowed"),
        ("User-agent: *\nDisallow:", "/a", "ok"),
        ("User-agent: *\nDisallow: /a", "/a", "disallowed"),
        ("User-agent: *\nDisallow: /a", "/b", "ok"),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b", "ok"),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", "disallowed"),
        ("User-agent: *\nDisallow: /\n\nUser-agent: RagAssay\nDisallow: /x", "/a", "ok"),
        ("User-agent: ragassay\nDisallow: /", "/a", "disallowed"),
        ("User-agent: ragassay-other\nDisallow: /", "/a", "ok"),
        ("User-agent: ragassay/0.1\nDisallow: /", "/a", "disallowed"),
        ("user agent : RagAssay/2 (+https://a.example/)\r\nDisallow: /", "/a", "disallowed"),
        ("User-agent: other/1\nUser-agent: ragassay/*\nDisallow: /", "/a", "disallowed"),
        ("User-agent: ragassay/0.1\rDisallow: /", "/a", "disallowed"),
        ("User-agent: ragassay-other/0.1\nDisallow: /", "/a", "ok"),
        ("User-agent: other\nDisallow: /ragassay/0.1", "/ragassay/0.1", "ok"),
        ("User-agent: contact\nDisallow: /", "/a", "ok"),
        ("\ufeffUser-agent: *\nDisallow: /", "/a", "disallowed"),
        ("User-agent: *\nCrawl-delay: 61", "/a", "crawl_delay"),
        ("User-agent: *\nRequest-rate: 1/2m", "/a", "crawl_delay"),
        ("# " + "x" * 600_000 + "\nUser-agent: *\nDisallow: /", "/a", "ok"),
    ],
)
def test_rules(text, path, outcome):
    page, web = fetch({"/robots.txt": answer(text.encode()), path: PAGE}, f"http://site.test{path}")
    assert page.outcome == outcome
    assert web.asked == ["/robots.txt", path][: 2 if outcome == "ok" else 1]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_rules_in_every_encoding_that_shows_itself_are_obeyed(encoding):
    text = "User-agent: *\nDisallow: /"
    page, web = fetch({"/robots.txt": answer(text.encode(encoding)), "/": PAGE})
    assert (page.outcome, web.asked) == ("disallowed", ["/robots.txt"])


@pytest.mark.parametrize(
    ("sent", "outcome"),
    [
        (answer(status="404 Not Found"), "ok"),
        (answer(status="403 Forbidden"), "ok"),
        (answer(status="204 No Content"), "ok"),
        (answer(status="429 Too Many Requests"), "robots_unavailable"),
        (answer(status="503 Service Unavailable"), "robots_unavailable"),
        (answer(b"plain", content_encoding="gzip"), "robots_unavailable"),
        (moved("/other"), "disallowed"),
        (moved("/robots.txt"), "robots_unavailable"),
        (moved("http://127.0.0.1:1/robots.txt"), "robots_unavailable"),
        (moved("file:///etc/passwd"), "robots_unavailable"),
        (moved("http://[]@"), "robots_unavailable"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "robots_unavailable"),
        (lambda headers: b"", "connection"),
    ],
)
def test_answers_that_are_no_rules(sent, outcome):
    rules = answer(b"User-agent: *\nDisallow: /")
    page, web = fetch({"/robots.txt": sent, "/other": rules, "/": PAGE})
    assert page.outcome == outcome, page.detail
    assert page.detail or outcome == "ok"
    assert ("/" in web.asked) == (outcome == "ok")


def test_silence_forbids():
    limits = FetchLimits(robots_seconds=0.2)
    pages, web = fetch({"/": PAGE}, ["http://site.test/"] * 2, seconds=0.5, limits=limits)
    assert [page.outcome for page in pages] == ["robots_unavailable"] * 2
    assert web.asked == ["/robots.txt"]


def test_rules_that_cost_too_much_forbid_unread(monkeypatch):
    monkeypatch.setattr("ragassay.news.fetching.robots.Protego", None)  # it would give 5,000 rules to 5,000 robots
    text = "".join(f"User-agent: r{number}\n" for number in range(5000)) + "Disallow: /x\n" * 5000
    assert fetch({"/robots.txt": answer(text.encode()), "/": PAGE})[0].outcome == "robots_unavailable"


def test_origins_have_their_own_rules():
    pages = {"site.test/robots.txt": answer(b"User-agent: *\nDisallow: /"), "/": PAGE}
    urls = [f"http://{host}/" for host in ("site.test", "other.test", "site.test:81")]
    fetched, _ = fetch(pages, urls, ("site.test", "other.test"))
    assert [page.outcome for page in fetched] == ["disallowed", "ok", "ok"]


@pytest.mark.parametrize(
    ("sent", "age", "asked"),
    [
        (answer(b"User-agent: *\nDisallow: /x"), 0, 1),
        (answer(b"User-agent: *\nDisallow: /x"), 86_000, 1),
        (answer(b"User-agent: *\nDisallow: /x"), 86_500, 2),
        (answer(status="503 No"), 500, 1),
        (answer(status="503 No"), 700, 2),
        (lambda headers: b"", 0, 2),  # a dead host may come back before the next job
    ],
)
def test_jobs_share_rules_for_a_while(tmp_path, sent, age, asked):
    async def run():
        async with Web({"/robots.txt": sent, "/": PAGE}) as web:
            for _ in range(2):
                async with web.fetcher(spacing_folder=tmp_path) as fetcher:
                    outcomes = [(await fetcher.fetch("http://site.test/")).outcome for _ in range(2)]
                for file in tmp_path.glob("*.robots"):
                    record = json.loads(file.read_text())
                    file.write_text(json.dumps(record | {"read_at": record["read_at"] - age}))
            return outcomes, web

    outcomes, web = asyncio.run(run())
    assert web.asked.count("/robots.txt") == asked
    assert len(set(outcomes)) == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", "not JSON"])
def test_a_torn_record_is_read_anew(tmp_path, text):
    (tmp_path / "http%3A%2F%2Fsite.test.robots").write_text(text)
    page, web = fetch({"/": PAGE}, spacing_folder=tmp_path)
    assert (page.outcome, web.asked) == ("ok", ["/robots.txt", "/"])


def test_the_longest_host_names_have_rules_and_turns_of_their_own(tmp_path):
    hosts = [f"{letter}.{'.'.join(['a' * 62] * 3)}.{'a' * 62}" for letter in "xy"]
    assert {len(host) for host in hosts} == {253}
    pages = {f"{hosts[0]}/robots.txt": answer(b"User-agent: *\nDisallow: /"), "/": PAGE}
    for asked in (2, 0):  # the second time by what is kept
        fetched, web = fetch(pages, [f"http://{host}/" for host in hosts], hosts, spacing_folder=tmp_path)
        assert [page.outcome for page in fetched] == ["disallowed", "ok"] and web.asked.count("/robots.txt") == asked

"""Fetching pages: outcomes, conditions, redirects, and what is never sent."""

import asyncio
import datetime
import ssl
import subprocess

import pytest

from programs import require
from ragassay.base.errors import AssayError
from ragassay.news.fetching.addresses import FetchLimits
from ragassay.news.fetching.fetcher import Fetcher
from servers import AGENT, Web, answer, fetch, moved

PAGE = answer(b"<p>The harbour is open.</p>", content_type="text/html", etag='"1"', set_cookie="a=b", x_other="x")
OTHER = {"hosts": ("site.test", "other.test")}


def test_a_page():
    before = datetime.datetime.now(datetime.UTC)
    page, web = fetch({"/": PAGE})
    assert (page.outcome, page.status, page.body) == ("ok", 200, b"<p>The harbour is open.</p>")
    assert page.headers == {"content-type": "text/html", "etag": '"1"'}
    assert (page.url, page.final_url, page.wire_bytes) == ("http://site.test/", "http://site.test/", 27)
    assert before <= page.fetched_at <= datetime.datetime.now(datetime.UTC)
    assert web.asked == ["/robots.txt", "/"]
    sent = web.headers[1]
    assert (sent["user-agent"], sent["host"], sent["accept-encoding"]) == (AGENT.lower(), "site.test", "gzip, deflate")
    assert sent.keys() == {"user-agent", "host", "accept-encoding", "accept", "connection"}


@pytest.mark.parametrize("status", [204, 401, 404, 410, 451, 500, 999])
def test_other_statuses_are_classes_without_a_body(status):
    page, _ = fetch({"/": answer(b"not to be read", status=f"{status} Odd")})
    assert (page.outcome, page.status, page.body, page.wire_bytes) == (f"http_{status}", status, b"", 0)


@pytest.mark.parametrize(
    ("sent", "outcome"),
    [
        (PAGE[:-1], "wrong_length"),
        (PAGE + b"more", "wrong_length"),
        (PAGE + b"\r\n", "ok"),
        (b"HTTP/1.1 200 OK\r\n\r\nuntil the end", "ok"),
        (b"", "connection"),
        (b"HTTP/1.1 2", "bad_response"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "bad_response"),
        (b"HTTP/1.1 200 OK\r\nx: " + b"x" * 200_000, "header_too_large"),
        (b"HTTP/1.1 200 OK\r\n" + b"x: x\r\n" * 201 + b"\r\n", "header_too_large"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "ok"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n", "bad_chunks"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 10 + PAGE, "ok"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" * 11 + PAGE, "bad_response"),
        (answer(b"plain", content_encoding="gzip"), "bad_encoding"),
        (answer(b"?", content_encoding="br"), "unknown_coding"),
        (answer(bytes(2001)), "too_large"),
        (answer(status="304 Not Modified"), "bad_response"),
        (answer(status="302 Found"), "bad_response"),
    ],
)
def test_what_servers_do_has_a_class(sent, outcome):
    page, _ = fetch({"/": sent or (lambda headers: b"")}, limits=FetchLimits(decoded_bytes=2000))
    assert page.outcome == outcome, page.detail
    assert page.body == b"" or outcome == "ok"
    assert page.detail or outcome == "ok"


def test_silence_is_a_timeout():
    page, _ = fetch({"/": PAGE}, seconds=0.7, limits=FetchLimits(total_seconds=1.0))
    assert page.outcome == "timeout"  # each is fast enough, both together are not


@pytest.mark.parametrize(
    ("known", "sent", "outcome"),
    [
        ({"etag": '"1"'}, {"if-none-match": '"1"'}, "not_modified"),
        ({"modified": "Sat, 29 Feb 2024 12:00:00 GMT"}, {"if-modified-since": "sat, 29 feb 2024 12:00:00 gmt"}, "ok"),
        ({"etag": "x\r\nhost: evil"}, {}, "ok"),
        ({"etag": '"2"'}, {"if-none-match": '"2"'}, "ok"),
    ],
)
def test_what_is_known_is_not_sent_again(known, sent, outcome):
    def page(headers):
        return answer(status="304 Not Modified") if headers.get("if-none-match") == '"1"' else PAGE

    found, web = fetch({"/": page}, **known)
    assert (found.outcome, found.wire_bytes) == (outcome, 27 if outcome == "ok" else 0)
    assert {name: value for name, value in web.headers[1].items() if name.startswith("if-")} == sent
    assert not any(name.startswith("if-") for name in web.headers[0])


def test_no_cookies_no_proxy_no_referrer(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    page, web = fetch({"/": PAGE.replace(b"200 OK", b"302 Found\r\nlocation: /2"), "/2": PAGE})
    assert page.outcome == "ok"
    assert all(headers.keys().isdisjoint({"cookie", "referer", "authorization"}) for headers in web.headers)


@pytest.mark.parametrize(
    "location", ["/2", "2", "//site.test/2", "http://site.test/2", "http://SITE.test./2", "?/../2"]
)
def test_redirects_are_followed(location):
    pages = {"/": moved(location), "/2": PAGE, "/?/../2": PAGE}
    assert fetch(pages)[0].outcome == "ok"


@pytest.mark.parametrize(("count", "outcome"), [(3, "ok"), (4, "too_many_redirects")])
def test_redirects_have_an_end(count, outcome):
    pages = {f"/{number}": moved(f"/{number + 1}") for number in range(count)}
    page, web = fetch({**pages, f"/{count}": PAGE}, "http://site.test/0")
    assert (page.outcome, page.final_url) == (outcome, "http://site.test/3")
    assert len(web.asked) == 5


@pytest.mark.parametrize(
    ("location", "outcome"),
    [
        ("http://127.0.0.1:{}/", "refused_address"),
        ("http://[::1]/", "refused_address"),
        ("http://169.254.169.254/latest", "refused_address"),
        ("file:///etc/passwd", "bad_scheme"),
        ("javascript:alert(1)", "bad_scheme"),
        ("http://me@other.test/", "bad_url"),
        ("http://[]@", "bad_url"),
        ("http://other.test/forbidden", "disallowed"),
        ("http://other.test/gone", "opted_out"),
    ],
)
def test_where_redirects_lead_is_vetted_again(location, outcome):
    async def run():
        async with Web() as web:
            web.pages = {
                "site.test/": moved(location.format(web.port)),
                "other.test/robots.txt": answer(b"User-agent: ragassay\nDisallow: /forbidden"),
                "/forbidden": PAGE,
                "/gone": PAGE,
            }
            async with web.fetcher("site.test", "other.test", opted_out=lambda url: url.endswith("/gone")) as fetcher:
                return await fetcher.fetch("http://site.test/"), web

    page, web = asyncio.run(run())
    assert (page.outcome, page.body) == (outcome, b"")
    assert {"/forbidden", "/gone"}.isdisjoint(web.asked)


def fetch_own(way, named=True):
    """Fetch by way of these hosts: 127.0.0.1 is the user's own, and site.test stands for any other."""

    async def run():
        async with Web() as web:
            hosts = {"own": f"http://127.0.0.1:{web.port}", "other": f"http://site.test:{web.port}"}
            urls = [f"{hosts[name]}/{number}" for number, name in enumerate(way)]
            web.pages = {f"/{number}": moved(url) for number, url in enumerate(urls[1:])} | {f"/{len(urls) - 1}": PAGE}

            async with web.fetcher(**web.strangers()) as fetcher:
                last = f"/{len(urls) - 1}"
                pages = [await fetcher.fetch(urls[0], named=named), await fetcher.fetch(f"{hosts['own']}{last}")]
                return [page.outcome for page in pages], web.asked.count(last)

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("way", "named", "outcome"),
    [
        (["own"], True, "ok"),
        (["own"], False, "refused_address"),
        (["own", "own"], True, "ok"),
        (["own", "own"], False, "refused_address"),
        (["other", "own"], True, "refused_address"),
        (["own", "other", "own"], True, "refused_address"),
        (["other", "other"], False, "ok"),
    ],
)
def test_nobody_else_opens_the_users_own_hosts_and_they_stay_open_to_the_user(way, named, outcome):
    outcomes, asked = fetch_own(way, named)
    assert outcomes == [outcome, "ok"] and asked == (2 if outcome == "ok" else 1)


def test_a_redirect_to_another_host_is_followed_where_it_may():
    pages = {"site.test/": moved("http://other.test/"), "other.test/": PAGE}
    page, web = fetch(pages, **OTHER)
    assert (page.outcome, page.final_url) == ("ok", "http://other.test/")
    assert web.asked == ["/robots.txt", "/"] * 2


def test_opt_outs_come_before_everything():
    page, web = fetch({"/": PAGE}, opted_out=lambda url: "site.test" in url)
    assert page.outcome == "opted_out"
    assert not web.asked


@pytest.mark.parametrize("agent", ["ragassay/0.1", "ragassay/0.1 (contact: me)", "ragassay (mailto:@)", "a http://x"])
def test_strangers_are_only_asked_by_who_leaves_a_contact(agent):
    with pytest.raises(AssayError, match="User-Agent"):
        fetch({}, "http://a.example/", user_agent=agent)


@pytest.mark.parametrize("agent", ["ragassay/0.1 (me@example.org)", "ragassay (+https://example.org)"])
def test_contacts(agent):
    async def resolve(host, port):
        return ["127.0.0.1"]

    assert fetch({}, "http://a.example/", user_agent=agent, resolve=resolve)[0].outcome == "refused_address"


def test_own_hosts_need_no_contact_but_what_they_redirect_to_does():
    assert fetch({"/": PAGE}, user_agent="ragassay")[0].outcome == "ok"
    assert fetch({"/": moved("http://a.example/")}, user_agent="ragassay")[0].outcome == "no_contact"


@pytest.mark.parametrize("agent", ["", "two\r\nlines me@example.org", "ü me@example.org", "x" * 400])
def test_a_user_agent_is_one_plain_line(agent, tmp_path):
    with pytest.raises(AssayError, match="one line"):
        Fetcher(agent, tmp_path)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    command = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=site.test"
    command += " -addext subjectAltName=DNS:site.test -keyout key.pem -out cert.pem"
    subprocess.run([require("openssl"), *command.split()], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.system
@pytest.mark.parametrize(("known", "host", "outcome"), [(1, "site", "ok"), (1, "other", "tls"), (0, "site", "tls")])
def test_certificates_are_verified(certificate, monkeypatch, known, host, outcome):
    if known:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")

    assert fetch({"/": PAGE}, f"https://{host}.test/", **OTHER, tls=context)[0].outcome == outcome

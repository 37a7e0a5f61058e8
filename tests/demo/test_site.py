"""The demo corpus on the web: every article can be found, and what must go wrong does."""

import datetime
import difflib
import shutil

import pytest
import trafilatura
import yaml
from protego import Protego

from demo.site import demo_site
from project import ROOT
from ragassay.base.errors import AssayError
from ragassay.documents.readers import Readers
from ragassay.documents.sources import document_files, records
from ragassay.news.feeds.feed import PROGRAM, parse
from ragassay.news.feeds.feed_lists import listed_in_opml
from ragassay.news.fetching.links import link

DEMO = ROOT / "resources/demo"
ARTICLES = [record.fields for record in records(document_files(DEMO / "articles"))]
TOLD = yaml.safe_load((DEMO / "site/site.yaml").read_text())
BOILERPLATE = ("Search", "Most read", "Send by mail", "cancel at any time", "All rights reserved", "Privacy", "Home")


@pytest.fixture(scope="module")
def site():
    return demo_site(DEMO / "articles", DEMO / "site")


@pytest.fixture(scope="module")
def entries(site):
    """All entries of all feeds, by address."""
    found = {}
    for _, url in site.feeds:
        feed = parse(answer(site, url).body, url)
        found |= {entry.url: entry for entry in feed.entries}
    return found


def http(url):
    return url.replace("https://", "http://")


def answer(site, url):
    host, slash, path = http(url).removeprefix("http://").partition("/")
    return site.answers[host, slash + path]


def test_the_feeds_name_every_article_and_each_page_is_there(site, entries):
    pages = {}
    for url in entries:
        found = answer(site, url)
        pages[found.location or url] = answer(site, found.location) if found.location else found
    assert {http(article["url"]) for article in ARTICLES} <= set(pages)
    assert {found.status for found in pages.values()} == {200}
    assert len(pages) == 60 + len(TOLD["pages"]) + len(TOLD["syndicated"])


def test_feeds_and_pages_give_the_dates_and_titles_of_the_articles(site, entries):
    moved = {http(new): http(old) for old, new in TOLD["moved"].items()}
    for article in ARTICLES:
        url = http(article["url"])
        entry = entries[moved.get(url, url)]
        assert entry.published_at == datetime.datetime.fromisoformat(article["date"]).timestamp()
        assert entry.title == article["title"]


@pytest.mark.parametrize("article", ARTICLES, ids=lambda article: article["url"].rpartition("/")[2])
def test_the_article_and_nothing_else_can_be_extracted(site, article):
    body = answer(site, article["url"]).body
    if http(article["url"]) in map(http, TOLD["mislabelled"]):
        body = body.decode("windows-1252").replace("’", "'").replace("“", '"').replace("”", '"')
    text = trafilatura.extract(body, include_comments=False, include_tables=False)
    assert difflib.SequenceMatcher(None, text.split(), article["text"].split(), autojunk=False).ratio() > 0.97
    assert not [phrase for phrase in BOILERPLATE if phrase in text and phrase not in article["text"]]


def test_the_mislabelled_page_is_not_what_its_header_says(site):
    [(url, encoding)] = TOLD["mislabelled"].items()
    found = answer(site, url)
    assert "utf-8" in found.content_type and f'<meta charset="{encoding}">'.encode() in found.body
    assert all(sign in found.body.decode(encoding) for sign in "“”’")
    with pytest.raises(UnicodeDecodeError):
        found.body.decode()


def test_robots_forbid_one_article_and_one_feed_and_slow_one_small_host(site, entries):
    def robots(host):
        return Protego.parse(site.answers[host, "/robots.txt"].body.decode())

    def allowed(url):
        host = http(url).split("/")[2]
        missing = site.answers[host, "/robots.txt"].status == 404
        return missing or robots(host).can_fetch(http(url), "ragassay")

    kinds = {page["url"]: page["kind"] for page in TOLD["pages"]}
    assert [http(url) for url, kind in kinds.items() if kind == "disallowed"] == [u for u in entries if not allowed(u)]
    assert [url for _, url in site.feeds if not allowed(url)] == [
        http(feed["url"]) for feed in TOLD["feeds"] if feed["kind"] == "disallowed"
    ]
    assert [host for host in site.hosts if robots(host).crawl_delay("ragassay")] == ["www.kestriawire.example"]
    assert [host for host in site.hosts if site.answers[host, "/robots.txt"].status == 404] == [
        "www.tableandtide.example"
    ]


def test_the_odd_feeds_are_what_they_are_meant_to_be(site):
    kinds = {}
    for feed in TOLD["feeds"]:
        found = answer(site, feed["url"])
        kinds[feed["kind"]] = found.status, parse(found.body, http(feed["url"])).kind
    assert kinds == {
        "dead": (404, "not_a_feed"),
        "empty": (200, "empty"),
        "disallowed": (200, "live"),
        "not_a_feed": (200, "not_a_feed"),
    }
    live = [url for _, url in site.feeds if parse(answer(site, url).body, url).kind == "live"]
    assert len(live) == len(site.feeds) - 3


def day(entry):
    return datetime.datetime.fromtimestamp(entry.published_at, datetime.UTC)


def test_the_odd_pages_are_what_they_are_meant_to_be(site, entries):
    pages = {page["kind"]: page for page in TOLD["pages"]}
    shown = {kind: answer(site, page["url"]).body.decode() for kind, page in pages.items()}
    undated, future = entries[http(pages["undated"]["url"])], entries[http(pages["future"]["url"])]
    assert undated.published_at is None and "202" not in shown["undated"].split("<main>")[1].split("<aside")[0]
    assert "published_time" not in shown["undated"] and "<time" not in shown["undated"]
    assert answer(site, pages["undated"]["url"]).modified is answer(site, pages["future"]["url"]).modified is None
    assert day(future).year == 2062 and "2062-10-03" in shown["future"]
    assert day(entries[http(pages["outside_window"]["url"])]).month == 8
    assert "Subscribe to continue" in shown["paywall"] and '"isAccessibleForFree": false' in shown["paywall"]
    assert "cookies" in shown["consent"] and pages["consent"]["text"].strip() not in shown["consent"]
    for kind in ("disallowed", "undated", "future", "outside_window"):
        assert len(trafilatura.extract(shown[kind]).split()) > 150, "else it would be rejected for its length"


def test_the_syndicated_copy_is_near_and_has_the_agency_line(site):
    [copy] = TOLD["syndicated"]
    first, second = (trafilatura.extract(answer(site, copy[url]).body).split() for url in ("of", "url"))
    assert 0.9 < difflib.SequenceMatcher(None, first, second, autojunk=False).ratio() < 1
    assert "Kestria Wire Service" in " ".join(second) and copy["url"].split("/")[2] != copy["of"].split("/")[2]


def test_the_list_of_feeds_is_the_sites(site):
    with Readers(PROGRAM) as readers:
        listed = listed_in_opml(DEMO / "site/feeds.opml", readers)
    assert sorted((feed.names[0].lower(), link(feed.url)) for feed in listed) == sorted(site.feeds)


def test_the_site_is_the_same_each_time(site):
    assert demo_site(DEMO / "articles", DEMO / "site") == site


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("www.tableandtide.example:", "www.elsewhere.example:", "no host www.tableandtide.example"),
        (
            "2026/09/census-first-results",
            "2026/09/census",
            "no article https://www.kestriawire.example/2026/09/census to",
        ),
    ],
)
def test_a_description_that_does_not_fit_is_an_error(tmp_path, old, new, found):
    shutil.copytree(DEMO / "site", tmp_path / "site")
    told = tmp_path / "site/site.yaml"
    told.write_text(told.read_text().replace(old, new))
    with pytest.raises(AssayError, match=found):
        demo_site(DEMO / "articles", tmp_path / "site")

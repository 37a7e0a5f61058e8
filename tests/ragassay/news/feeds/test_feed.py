"""Reading feeds: the same entries whatever the dialect, and nothing but bytes is ever read."""

import datetime
import io
import subprocess
import sys

import feedparser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from project import ROOT
from ragassay.news.feeds.feed import MOST_ENTRIES, Entry, parse, plain

URL = "https://www.a.example/feeds/news.xml"
MOMENT = datetime.datetime(2026, 10, 8, 20, 35, tzinfo=datetime.UTC).timestamp()


def rss(*items, head=""):
    return f'<?xml version="1.0"?>{head}<rss version="2.0"><channel>{"".join(items)}</channel></rss>'.encode()


def item(link="/2026/10/storm", title="Storm", date="Thu, 08 Oct 2026 22:35:00 +0200", guid="7"):
    return f"<item><title>{title}</title><link>{link}</link><pubDate>{date}</pubDate><guid>{guid}</guid></item>"


ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><entry>
<title type="html">&lt;b>Storm&lt;/b></title>
<link rel="self" href="/api/7"/><link rel="alternate" href="/2026/10/storm?utm_source=feed#top"/><id>7</id>
<updated>2026-10-08T20:35:00Z</updated></entry></feed>"""
RDF = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>News</title></channel>
<item rdf:about="7"><title>Storm</title><link>https://www.a.example/2026/10/storm</link>
<dc:date>2026-10-08T22:35+02:00</dc:date></item></rdf:RDF>"""
BURNT = rss(
    '<item xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0"><title>Storm</title><guid>7</guid>'
    "<link>http://feeds.b.example/~r/1</link><pubDate>Thu, 8 Oct 2026 20:35 GMT</pubDate>"
    "<feedburner:origLink>https://www.a.example/2026/10/storm</feedburner:origLink></item>"
)


@pytest.mark.parametrize("content", [rss(item()), ATOM, RDF, BURNT, rss(item()).replace(b"</channel>", b"<br>")])
def test_each_dialect_gives_the_same_entry(content):
    feed = parse(content, URL)
    assert (feed.kind, feed.detail, len(feed.entries)) == ("live", "", 1)
    entry = feed.entries[0]
    assert (entry.url, entry.title, entry.published_at) == ("https://www.a.example/2026/10/storm", "Storm", MOMENT)


def test_the_date_is_kept_as_it_stands():
    [entry] = parse(rss(item(date="Donnerstag,  8. Oktober ")), URL).entries
    assert (entry.published, entry.published_at) == ("Donnerstag, 8. Oktober", None)
    [entry] = parse(rss("<item><link>/a</link></item>"), URL).entries
    assert entry == Entry("https://www.a.example/a", "", "", None)


def test_a_page_is_named_once_and_the_first_counts():
    items = [item(title="First"), item("/2026/10/storm#b", "Again"), item("/2026/10/storm?utm_x=1", "And again")]
    assert [entry.title for entry in parse(rss(*items, item("/other", "Other")), URL).entries] == ["First", "Other"]


@pytest.mark.parametrize(
    "bad", ["file:///etc/passwd", "javascript:alert(1)", "ftp://a.example/", "http://", "http://[]@", ""]
)
def test_links_that_are_no_pages_are_counted(bad):
    feed = parse(rss(item(bad, guid=""), item("/b")), URL)
    assert [entry.url for entry in feed.entries] == ["https://www.a.example/b"]
    assert feed.detail == "1 entries without a usable link"
    assert parse(rss(item(bad, guid="")), URL).kind == "empty"


@pytest.mark.parametrize(
    ("content", "kind", "found"),
    [
        (rss(), "empty", ""),
        (b'<feed xmlns="http://www.w3.org/2005/Atom"/>', "empty", ""),
        (b"<!DOCTYPE html><html><body>Our feeds have moved.</body></html>", "not_a_feed", "expected RSS or Atom"),
        (b"", "not_a_feed", "expected RSS or Atom"),
        (b"\0\xff\xfe{}", "not_a_feed", "expected RSS or Atom"),
        (b'{"version": "https://jsonfeed.org/version/1"}', "not_a_feed", "expected RSS or Atom"),
        (rss(item(), head='<!DOCTYPE r [<!ENTITY a "b">]>'), "not_a_feed", "document type of its own"),
        (rss("<item><gml:pos>1</gml:pos></item>"), "not_a_feed", "feedparser stumbles (KeyError: 'where')"),
    ],
)
def test_what_is_no_live_feed_says_why(content, kind, found):
    feed = parse(content, URL)
    assert (feed.entries, feed.kind) == ([], kind) and found in feed.detail


def test_a_feed_of_too_many_entries_gives_the_first_of_them_and_says_so():
    feed = parse(rss(*[item(f"/{n}") for n in range(MOST_ENTRIES)], item("file:/x")), URL)
    assert (feed.kind, len(feed.entries), feed.entries[-1].url[-5:]) == ("live", MOST_ENTRIES, "/1999")
    assert feed.detail == "took the first 2000 of 2001 entries"
    feed = parse(rss(item("file:/x"), *[item(f"/{n}") for n in range(MOST_ENTRIES + 5)]), URL)
    assert feed.detail == "took the first 2000 of 2006 entries; 1 entries without a usable link"


def test_mislabelled_titles_are_read():
    content = rss(item(title="Café “Quay”")).decode().replace('"1.0"?', '"1.0" encoding="UTF-8"?')
    assert parse(content.encode("windows-1252"), URL).entries[0].title == "Café “Quay”"
    assert (
        parse(rss(item(title="Бриз")).decode().encode("koi8-r"), URL, "text/xml; charset=koi8-r").entries[0].title
        == "Бриз"
    )


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Storm &#55357;&#56832;", "Storm 😀"),
        ("Storm &#xD83D;&#xde00; &#0055357&#X00DE00", "Storm 😀 😀"),
        ("Storm &amp;#55357;&amp;#56832;", "Storm 😀"),
        ("<![CDATA[Storm &#55357;&#56832;]]>", "Storm 😀"),
        ("&#55357; Storm &#56832;", "\ufffd Storm \ufffd"),
        ("Storm &#x110000;&#99999999999999999999;&#0;&#xffff;&#1;" + "&#" + "9" * 5_000 + ";", "Storm"),
        ("&#128512; &#8364; &#128; &#x; &#-5;", "😀 € € &#x; &#-5;"),
    ],
)
def test_references_to_no_character_do_not_cost_the_feed(title, text):
    feed = parse(rss(item(title=title), item("/b")), URL)
    assert [entry.title for entry in feed.entries] == [text, "Storm"]


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Fire &amp; water", "Fire & water"),
        ("a < b", "a < b"),
        ("<p>Two\n <i>lines</i></p>", "Two lines"),
        ("<!-- nothing -->", ""),
        ("<script>x</script>Storm", "xStorm"),
        ("x" * 9_000, "x" * 1_000),
    ],
)
def test_a_headline_is_plain_text(title, text):
    assert plain(title) == text


READS = """
import sys
from ragassay.news.feeds.feed import parse
opened = []
watched = ("open", "socket.connect", "socket.getaddrinfo", "urllib.Request")
sys.addaudithook(lambda event, given: opened.append((event, given)) if event in watched and ready else None)
ready = False
parse(b"<rss><channel/></rss>", "http://a.example/")  # what is imported late is imported now
ready = True
for content in sys.argv[1:]:
    assert parse(content.encode(), "http://a.example/").kind == "not_a_feed", content
ready = False
assert not opened, opened
"""


def test_no_bytes_make_it_open_a_file_or_a_connection(tmp_path):
    secret = tmp_path / "feed.xml"
    secret.write_bytes(rss(item()))
    assert len(feedparser.parse(str(secret)).entries) == 1  # the danger is real
    contents = [str(secret), secret.as_uri(), "http://127.0.0.1:9/feed", "feed:http://127.0.0.1:9/", "/etc/passwd"]
    external = f'<!DOCTYPE rss SYSTEM "{secret.as_uri()}"><a>&b;</a>'
    subprocess.run([sys.executable, "-c", READS, *contents, external], check=True)


def test_without_our_guard_entities_would_be_expanded():
    bomb = rss("<title>&c;</title>", head='<!DOCTYPE r [<!ENTITY a "bb"><!ENTITY c "&a;&a;">]>')
    assert feedparser.parse(io.BytesIO(bomb)).feed.title == "bbbb"
    assert parse(bomb, URL).kind == "not_a_feed"


PIECES = ["<item>", "</item>", "<link>/a</link>", "<title>", "&#0;", "]]>", "<![CDATA[", "<!--", "<a:b>", "</rss>", "é"]


@settings(max_examples=60)
@given(st.lists(st.sampled_from(PIECES), max_size=15))
def test_any_damage_is_survived(pieces):
    feed = parse(rss(item(), *pieces, item("/b")), URL)
    assert feed.kind in ("live", "empty", "not_a_feed") and all(entry.url.startswith("http") for entry in feed.entries)


def test_a_program_that_reads_feeds_has_loaded_all_that_it_needs_before_the_first():
    needed = {"feedparser", "lxml.html"}
    code = f"""import sys
from ragassay.news.feeds.feed import loaded
assert not {needed} & sys.modules.keys()
loaded()
assert {needed} <= sys.modules.keys()"""
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": str(ROOT / "workflow")})

"""Lists of feeds: the directory is held to its digest and read without running its package; OPML files may be sloppy
and are never dangerous; each feed is kept once, with a topic of the study, or has a reason.
"""

import hashlib
import importlib.metadata
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from ragassay.config import schema
from ragassay.documents.readers import Readers
from ragassay.news.feeds import feed_lists
from ragassay.news.feeds.feed import PROGRAM
from ragassay.news.feeds.feed_lists import (
    DirectoryError,
    Listed,
    OpmlError,
    directory_file,
    feed_rows,
    listed_in_directory,
    listed_in_opml,
    topic_of,
)
from ragassay.news.fetching.links import link

CRAWL = schema.merged()["properties"]["crawl"]["properties"]
PAPER_TOPICS, OTHER_NAMES = CRAWL["topics"]["default"], CRAWL["other_names"]["default"]


def feed(url="http://a.example/rss", names=("food",), **more):
    return Listed(url=url, names=list(names), place="line 7", source=more.pop("source", "opml"), **more)


def judge(*listed, topics=PAPER_TOPICS):
    return feed_rows(listed, topics, OTHER_NAMES)


def test_the_ten_topics_are_the_papers():
    assert len(set(PAPER_TOPICS)) == 10 and set(OTHER_NAMES.values()) <= set(PAPER_TOPICS)


@pytest.mark.parametrize(
    ("names", "topics", "found"),
    [
        (["Food"], PAPER_TOPICS, ("food", "Food")),
        (["Kitchens", " Sports "], PAPER_TOPICS, ("sport", " Sports ")),
        (["economics"], PAPER_TOPICS, ("business", "economics")),
        (["economics"], ["economics", "business"], ("economics", "economics")),
        (["economics"], ["food"], None),
        (["Boats"], ["Boats"], ("Boats", "Boats")),
        ([], PAPER_TOPICS, None),
    ],
)
def test_a_name_is_mapped_to_a_topic(names, topics, found):
    assert topic_of(names, topics, OTHER_NAMES) == found


@pytest.mark.parametrize(
    ("listed", "reason", "detail"),
    [
        (feed("file:///etc/passwd"), "bad_url", "expected an address that begins with http"),
        (feed("http://"), "bad_url", "expected a host name"),
        (feed(""), "bad_url", "found ''"),
        (feed(names=["boats"]), "other_topic", "found the topics boats, expected one of business"),
        (feed(names=[]), "other_topic", "found the topics none"),
    ],
)
def test_what_cannot_be_used_has_a_reason(listed, reason, detail):
    rows, [reject] = judge(listed)
    assert rows == [] and reject["reason"] == reason and detail in reject["detail"]
    assert reject["item"] == "1 line 7" and reject["stage"] == "export_feeds"


@pytest.mark.parametrize(
    "again", ["http://A.example:80/rss#x", "https://a.example/rss", "http://a.example/rss?utm_a=b"]
)
def test_the_first_listing_of_a_feed_counts(again):
    [row], [reject] = judge(feed(rank=1), feed(again, names=["news"], rank=2))
    assert (row["topic"], row["rank"]) == ("food", 1)
    assert (reject["reason"], reject["detail"]) == ("duplicate", "found the same feed as line 7, expected each once")


def test_the_site_is_the_one_that_is_listed_or_the_host():
    rows, _ = judge(
        feed("http://feeds.b.example/1", site="a.example"),
        feed("http://feeds.b.example/2", page="https://www.c.example/x"),
        feed("http://www.d.example/3", page="no address"),
    )
    assert [row["site"] for row in rows] == ["a.example", "c.example", "d.example"]


@pytest.mark.parametrize(
    ("url", "source", "first"),
    [
        ("http://a.example/", "newscatcher", True),
        ("https://a.example/", "newscatcher", False),
        ("http://a.example/", "config", False),
    ],
)
def test_only_the_old_directory_is_asked_under_https_first(url, source, first):
    [row], _ = judge(feed(url, source=source))
    assert row["https_first"] is first


@pytest.fixture(scope="module")
def readers():
    with Readers(PROGRAM, seconds=2) as found:
        yield found


@pytest.fixture
def read(tmp_path, readers):
    def run(content):
        path = tmp_path / "feeds.opml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return listed_in_opml(path, readers)

    return run


def opml(body):
    return f'<?xml version="1.0"?>\n<opml version="2.0"><head/><body>\n{body}</body></opml>'


def test_feeds_know_the_outlines_around_them_the_nearest_first(read):
    body = """<outline text="World"><outline title="Science">
    <outline text="Ice" type="rss" xmlUrl="http://a.example/ice.xml" htmlUrl="https://www.a.example/" language="en-GB"/>
    </outline></outline><outline text="Boats" xmlURL=" http://b.example/boats "/>"""
    ice, boats = read(opml(body))
    assert (ice.url, ice.names, ice.page, ice.language) == (
        "http://a.example/ice.xml",
        ["Science", "World"],
        "https://www.a.example/",
        "en",
    )
    assert ice.place.endswith("feeds.opml line 4 http://a.example/ice.xml")
    assert (boats.url, boats.names, boats.language) == ("http://b.example/boats", [], None)
    assert ice.source_hash == boats.source_hash and len(ice.source_hash) == 64


def test_categories_come_before_outlines_and_from_their_end(read):
    body = '<outline text="All"><outline xmlUrl="http://a.example/" category="/Tech/Chips, /Hallowmere"/></outline>'
    assert read(opml(body))[0].names == ["Chips", "Tech", "Hallowmere", "All"]


def test_outlines_without_a_feed_are_none_but_promised_feeds_are_kept_for_their_reject(read):
    body = '<outline text="folder"/><outline type="rss" text="no address"/><outline type="include" url="http://a/"/>'
    assert [feed.url for feed in read(opml(body))] == ["", ""]
    assert read(opml("")) == []


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("<html/>", "found the element 'html', expected opml"),
        ("<opml><body>", "expected an OPML file"),
        ("", "expected an OPML file"),
        ('<!DOCTYPE opml [<!ENTITY a "b">]><opml>&a;</opml>', "document type of its own"),
        ('<!DOCTYPE opml [<!ENTITY a SYSTEM "file:///etc/passwd">]><opml>&a;</opml>', "document type of its own"),
        ("<opml>" + "<outline>" * 200 + "</outline>" * 200 + "</opml>", "more than 100 elements inside one another"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_with_its_name(read, content, found):
    with pytest.raises(OpmlError, match=rf"feeds\.opml: .*{found}"):
        read(content)


def test_a_file_of_which_its_reader_dies_is_an_error_with_its_name(tmp_path, readers, monkeypatch):
    (tmp_path / "feeds.opml").write_text(opml(""))
    dead = {"reason": "timeout", "detail": "not done after 2 seconds"}
    monkeypatch.setattr(readers, "read", lambda documents: [(name, dead) for name, *_ in documents])
    with pytest.raises(OpmlError, match=r"feeds\.opml: found a file that could not be read \(not done after 2"):
        listed_in_opml(tmp_path / "feeds.opml", readers)


def test_an_external_document_type_is_never_fetched(read, tmp_path):
    (tmp_path / "own.dtd").write_text('<!ENTITY a "expanded">')
    with pytest.raises(OpmlError):
        read(f'<!DOCTYPE opml SYSTEM "{(tmp_path / "own.dtd").as_uri()}"><opml><outline text="&a;" xmlUrl="b"/>')


ROWS = [
    ("b.example", "en", "tech", 1, "US", "http://b.example/rss", 5),
    ("a.example", "en", "tech", "None", "None", "http://a.example/rss", "None"),
    ("c.example", "de", "tech", 1, "DE", "https://c.example/rss", 9_000),
    ("d.example", "en", "food", 1, "US", "http://d.example/rss", 1),
]


@pytest.fixture
def own(tmp_path):
    """A directory with a few rows, and where it lies."""
    path = tmp_path / "50% of feeds?.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TABLE rss_main (clean_url, language, topic_unified, main, clean_country, rss_url, GlobalRank)"
        )
        database.executemany("INSERT INTO rss_main VALUES (?, ?, ?, ?, ?, ?, ?)", ROWS)
    return path


def test_the_installed_file_is_the_locked_one():
    path, digest = directory_file()
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
    found = listed_in_directory(path, digest, lambda name: True)
    assert len(found) == 4505 and {feed.source_hash for feed in found} == {digest}
    assert {name for feed in found for name in feed.names} >= {"business", "travel", "world", "finance", "economics"}
    assert all(link(feed.url) for feed in found)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest


def test_the_package_is_not_imported():
    program = "import sys; from ragassay.news.feeds import feed_lists; feed_lists.directory_file(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE).stdout.decode().split()
    assert "ragassay.news.feeds.feed_lists" in loaded
    assert not {"newscatcher", "pkg_resources", "feedparser"} & set(loaded)


def test_https_and_the_best_ranked_come_first_and_nothing_is_nothing(own):
    found = listed_in_directory(own, "0", {"tech"}.__contains__)
    assert [feed.site for feed in found] == ["c.example", "b.example", "a.example"]
    assert [(feed.rank, feed.main, feed.country) for feed in found] == [
        (9_000, True, "DE"),
        (5, True, "US"),
        (None, False, None),
    ]


@pytest.mark.parametrize(
    ("languages", "countries", "sites"),
    [(["en"], [], ["d", "b", "a"]), (["de", "en"], ["US"], ["d", "b"]), (["fr"], [], [])],
)
def test_languages_and_countries_are_chosen(own, languages, countries, sites):
    found = listed_in_directory(own, "0", lambda name: True, languages, countries)
    assert [feed.site[0] for feed in found] == sites


def test_the_file_is_opened_so_that_nothing_can_be_written(own, monkeypatch):
    opened, connect = [], sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda *given, **named: opened.append((given, named)) or connect(*given, **named)
    )
    listed_in_directory(own, "0", lambda name: True)
    [(given, named)] = opened
    with closing(connect(*given, **named)) as database, pytest.raises(sqlite3.OperationalError, match="readonly"):
        database.execute("DELETE FROM rss_main")
    assert list(own.parent.iterdir()) == [own]


def test_another_file_is_an_error(own, tmp_path):
    with pytest.raises(DirectoryError, match="not the list of feeds that was expected"):
        other = tmp_path / "other.db"
        other.write_text("no database at all, but some text")
        listed_in_directory(other, "0", lambda name: True)


def installed(folder, content, digest="sha256=AAAA"):
    """A package in a folder of its own, with the file and the digest that its list of files has."""
    info = folder / "newscatcher-0.2.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: newscatcher\nVersion: 0.2.0\n")
    (info / "RECORD").write_text(f"newscatcher/data/package_rss.db,{digest},5\n")
    if content is not None:
        (folder / "newscatcher/data").mkdir(parents=True)
        (folder / "newscatcher/data/package_rss.db").write_bytes(content)
    return importlib.metadata.PathDistribution(info)


@pytest.mark.parametrize(
    ("content", "found"), [(b"other", "another file than package newscatcher"), (None, "found no file newscatcher")]
)
def test_a_changed_or_missing_file_is_an_error(tmp_path, monkeypatch, content, found):
    package = installed(tmp_path, content)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: package)
    with pytest.raises(DirectoryError, match=f"{found}.*make setup"):
        directory_file()


def test_a_missing_package_is_an_error(monkeypatch):
    monkeypatch.setattr(feed_lists, "PACKAGE", "no-such-package")
    with pytest.raises(DirectoryError, match="no package no-such-package"):
        directory_file()

"""Exporting feeds: own before OPML before the directory, the same bytes each time, nothing vanishes."""

import pytest

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.config import schema
from ragassay.schemas.documents import FEEDS
from scripts.news.export_feeds import export_feeds

CRAWL = schema.merged()["properties"]["crawl"]["properties"]
PAPER_TOPICS = CRAWL["topics"]["default"]
SETTINGS = {
    "topics": PAPER_TOPICS,
    "other_names": CRAWL["other_names"]["default"],
    "languages": ["en"],
    "countries": [],
    "own_feeds": [],
    "seconds": 20,
    "memory_mb": 1024,
    "use_directory": False,
}
OWN = [{"url": "http://a.example/rss", "topic": "food", "site": "kitchen.example", "language": "en"}]
OPML = '<opml><body><outline text="Travel"><outline xmlUrl="{}"/></outline></body></opml>'


@pytest.fixture
def export(tmp_path):
    """Run the stage; return the rows of both tables."""

    def run(opml=None, **settings):
        if opml:
            (tmp_path / "own.opml").write_text(OPML.format(opml))
            settings["opml_files"] = [str(tmp_path / "own.opml")]
        outputs = tmp_path / "feeds.parquet", tmp_path / "rejects.parquet"
        export_feeds(*outputs, **(SETTINGS | settings))
        return [
            tables.read(table, path).to_pylist() for table, path in zip((FEEDS, tables.REJECTS), outputs, strict=True)
        ]

    return run


def test_own_feeds_come_before_opml_and_the_directory(export):
    known = {row["feed_url"]: row for row in export(use_directory=True)[0]}
    url = next(url for url, row in known.items() if row["topic"] == "science")
    feeds, rejects = export(own_feeds=[{"url": url, "topic": "food"}], opml=url, use_directory=True)
    [row] = [row for row in feeds if row["feed_url"] == url]
    assert (row["source"], row["topic"], row["source_hash"], row["https_first"]) == ("config", "food", None, False)
    assert len(feeds) == len(known)
    assert [(row["reason"], row["shard"]) for row in rejects] == [("duplicate", "-")] * 2


def test_the_directory_by_default_covers_the_papers_topics(export):
    feeds, rejects = export(use_directory=True)
    assert {row["topic"] for row in feeds} == set(PAPER_TOPICS) and {row["language"] for row in feeds} == {"en"}
    assert len(feeds) + len(rejects) > 2_000
    assert {row["listed_topic"] for row in feeds if row["topic"] == "business"} == {"business", "finance", "economics"}
    exact, _ = export(use_directory=True, other_names={})
    assert {row["listed_topic"] for row in exact} == set(PAPER_TOPICS) and len(exact) < len(feeds)


def test_what_is_listed_is_kept_or_rejected(export):
    bad = [{"url": "file:///etc/passwd", "topic": "food"}, {"url": "http://b.example/", "topic": "boats"}]
    feeds, rejects = export(own_feeds=OWN + bad, opml="http://c.example/rss")
    assert [(row["feed_url"], row["topic"], row["site"]) for row in feeds] == [
        ("http://a.example/rss", "food", "kitchen.example"),
        ("http://c.example/rss", "travel", "c.example"),
    ]
    assert [(row["item"], row["reason"]) for row in rejects] == [
        ("2 own feed 2 file:///etc/passwd", "bad_url"),
        ("3 own feed 3 http://b.example/", "other_topic"),
    ]


def test_no_feed_at_all_is_an_error(export):
    with pytest.raises(AssayError, match=r"no feed to crawl for the topics .* \(1 bad_url\); name feeds in own_feeds"):
        export(own_feeds=[{"url": "gopher://a.example/", "topic": "food"}])

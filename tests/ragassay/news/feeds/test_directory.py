"""The directory inside newscatcher: found, held to its digest, read without writing and without running the package."""

import hashlib
import importlib.metadata
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from ragassay.news.feeds import directory
from ragassay.news.feeds.directory import DirectoryError, directory_file, listed
from ragassay.news.fetching.links import link

ROWS = [
    ("b.example", "en", "tech", 1, "US", "http://b.example/rss", 5),
    ("a.example", "en", "tech", "None", "None", "http://a.example/rss", "None"),
    ("c.example", "de", "tech", 1, "DE", "https://c.example/rss", 9_000),
    ("d.example", "en", "food", 1, "US", "http://d.example/x' OR '1'='1", 1),
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
    found = listed(path, digest, lambda name: True)
    assert len(found) == 4505 and {feed.source_hash for feed in found} == {digest}
    assert {name for feed in found for name in feed.names} >= {"business", "travel", "world", "finance", "economics"}
    assert all(link(feed.url) for feed in found)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest


def test_the_package_is_not_imported():
    program = "import sys; from ragassay.news.feeds import directory; directory.directory_file(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE).stdout.decode().split()
    assert "ragassay.news.feeds.directory" in loaded
    assert not {"newscatcher", "pkg_resources", "feedparser"} & set(loaded)


def test_https_and_the_best_ranked_come_first_and_nothing_is_nothing(own):
    found = listed(own, "0", {"tech"}.__contains__)
    assert [feed.site for feed in found] == ["c.example", "b.example", "a.example"]
    assert [(feed.rank, feed.main, feed.country) for feed in found] == [
        (9_000, True, "DE"),
        (5, True, "US"),
        (None, False, None),
    ]


@pytest.mark.parametrize(
    ("languages", "countries", "sites"),
    [
        (["en"], [], ["d", "b", "a"]),
        (["de", "en"], ["US"], ["d", "b"]),
        (["x' OR '1'='1"], [], []),
        ([], ["') --"], []),
    ],
)
def test_languages_and_countries_are_parameters(own, languages, countries, sites):
    found = listed(own, "0", lambda name: True, languages, countries)
    assert [feed.site[0] for feed in found] == sites


def test_the_file_is_opened_so_that_nothing_can_be_written(own, monkeypatch):
    opened, connect = [], sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda *given, **named: opened.append((given, named)) or connect(*given, **named)
    )
    listed(own, "0", lambda name: True)
    [(given, named)] = opened
    with closing(connect(*given, **named)) as database, pytest.raises(sqlite3.OperationalError, match="readonly"):
        database.execute("DELETE FROM rss_main")
    assert list(own.parent.iterdir()) == [own]


def test_another_file_is_an_error(own, tmp_path):
    with pytest.raises(DirectoryError, match="not the list of feeds that was expected"):
        other = tmp_path / "other.db"
        other.write_text("no database at all, but some text")
        listed(other, "0", lambda name: True)


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
    monkeypatch.setattr(directory, "PACKAGE", "no-such-package")
    with pytest.raises(DirectoryError, match="no package no-such-package"):
        directory_file()

"""Lists of feeds from feed readers: nested, sloppy, and never dangerous."""

import pytest

from ragassay.news.feeds import feed_worker
from ragassay.news.feeds.opml import OpmlError, listed
from ragassay.news.readers.pool import Readers


@pytest.fixture(scope="module")
def readers():
    with Readers(feed_worker.__name__, seconds=2) as found:
        yield found


@pytest.fixture
def read(tmp_path, readers):
    def run(content):
        path = tmp_path / "feeds.opml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return listed(path, readers)

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
        listed(tmp_path / "feeds.opml", readers)


def test_an_external_document_type_is_never_fetched(read, tmp_path):
    (tmp_path / "own.dtd").write_text('<!ENTITY a "expanded">')
    with pytest.raises(OpmlError):
        read(f'<!DOCTYPE opml SYSTEM "{(tmp_path / "own.dtd").as_uri()}"><opml><outline text="&a;" xmlUrl="b"/>')

"""Articles: rows of them, pages that become some, and their dates: two sources that agree or none."""

import dataclasses
import datetime
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from news_pages import articles, page
from ragassay.base import tables
from ragassay.base.errors import Unusable
from ragassay.base.tally import MostRejected
from ragassay.news.extraction.extractor import Article
from ragassay.news.fetching.archive import packed_body
from ragassay.schemas.documents import ARTICLES, PAGES
from scripts.news.extract_articles import (
    Dated,
    agree,
    article_id,
    article_row,
    date_of,
    extract_articles,
    in_path,
    in_window,
    own_address,
    parsed,
)

PAGE = {
    "final_url": "https://paper.example/a",
    "shard": "autumn",
    "topic": "news",
    "page_hash": "0" * 64,
    "fetched_at": datetime.datetime(2026, 10, 1, tzinfo=datetime.UTC),
    "feed_title": None,
    "feed_published": "2026-09-22",
}
FOUND = Article("A title", "A text.", None, None, "en", 0.9, "utf-8", "meta", {"json_ld": ["2026-09-22"], "meta": []})


def row(**changed):
    return article_row(PAGE, dataclasses.replace(FOUND, **changed), ["en"], None, None)


def test_a_row_has_all_columns():
    assert row().keys() == set(ARTICLES.schema.names)
    assert row()["date_sources"] == ["json_ld", "feed"] and row()["date_precision"] == "day"


def test_text_is_cleaned_as_documents_are():
    assert row(text="Cafe\u0301 \r\n\n\n\nopens\x07.")["text"] == "Café\n\nopens."
    with pytest.raises(Unusable, match="control characters"):
        row(text="\x07")


@pytest.mark.parametrize("changed", [{"language": "de"}, {"confidence": 0.4}])
def test_a_language_that_is_another_or_unsure_is_a_reason(changed):
    with pytest.raises(Unusable, match="expected one of en") as why:
        row(**changed)
    assert why.value.reason == "language"


def test_ids_differ_by_address_source_and_content():
    ids = {article_id(*parts) for parts in [("u", None, "h"), (None, "u", "h"), ("u", None, "i"), ("v", None, "h")]}
    assert len(ids) == 4 and all(name.startswith("art-") and len(name) == 20 for name in ids)


@pytest.mark.parametrize(
    ("canonical", "own"),
    [
        (None, PAGE["final_url"]),
        ("https://paper.example/b", "https://paper.example/b"),
        ("https://paper.example/", PAGE["final_url"]),
        ("https://other.example/b", PAGE["final_url"]),
    ],
)
def test_the_own_address_is_the_canonical_one_of_the_same_site(canonical, own):
    assert own_address(row(canonical_url=canonical)) == own


TOLD = articles()
FETCHED = datetime.datetime(2026, 10, 31, 12, tzinfo=datetime.UTC)
SETTINGS = {
    "languages": ["en"],
    "seconds": 20,
    "memory_mb": 1024,
    "first_day": "2026-09-01",
    "last_day": "2026-10-31",
    "most_rejected": 0.5,
}
GERMAN = (
    "Die Brücke wird 640 Meter lang und soll im Frühjahr 2029 eröffnet werden, sagte die Bürgermeisterin am Montag. "
)


def fetched(url, text, **other):
    body = text.encode()
    row = {"url": url, "final_url": url, "shard": "autumn", "topic": "news", "status": 200, "body": packed_body(body)}
    row |= {"headers": '{"content-type": "text/html; charset=utf-8"}', "fetched_at": FETCHED}
    row |= {"page_hash": hashlib.sha256(body).hexdigest()}
    return row | {"feed_url": None, "feed_title": None, "feed_published": None} | other


def demo(number, **other):
    url, text = page(number, TOLD)
    return fetched(url, text, **other)


def plain(url, *paragraphs, head="", **other):
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return fetched(url, f"<html><head>{head}</head><body><article>{text}</article></body></html>", **other)


def story(number, *added):
    return [*TOLD[number]["paragraphs"], *added]


@pytest.fixture
def extract(tmp_path):
    """Run the stage on rows of pages; return the rows of both tables."""

    def run(rows, name="a", **changed):
        tables.write(PAGES, tmp_path / "pages", rows)
        outputs = tmp_path / f"{name}-articles", tmp_path / f"{name}-rejects"
        extract_articles(tmp_path / "pages", *outputs, shard="autumn", **SETTINGS | changed)
        return tuple(tables.read(*pair).to_pylist() for pair in zip((ARTICLES, tables.REJECTS), outputs, strict=True))

    return run


def test_a_page_becomes_an_article(extract):
    [article], rejects = extract([demo(3, feed_published=TOLD[3]["date"])])
    told, text = TOLD[3], "\n\n".join(TOLD[3]["paragraphs"])
    assert rejects == []
    assert (article["title"], article["text"], article["n_words"]) == (told["title"], text, len(text.split()))
    assert article["url"] == page(3, TOLD)[0] and article["canonical_url"] == told["url"]
    assert (article["site"], article["site_name"]) == (told["url"].split("/")[2], "The Courier")
    assert article["published_at"] == datetime.datetime.fromisoformat(told["date"])
    assert article["date_sources"] == ["json_ld", "meta", "feed"]
    assert (article["date_precision"], article["undated"]) == ("time", None)
    assert (article["language"], article["charset"], article["charset_source"]) == ("en", "utf-8", "header")
    assert article["content_hash"] == hashlib.sha256(text.encode()).hexdigest()
    assert article["article_id"].startswith("art-") and article["source_id"] is None
    assert (article["shard"], article["topic"]) == ("autumn", "news")


def test_every_page_is_an_article_or_a_reject(extract):
    url = "https://paper.example"
    soon = "2027-01-01T00:00:00Z"
    rows = [
        plain(f"{url}/undated", *story(0)),
        plain(f"{url}/disagree/2026-09-01", *story(1), feed_published="2026-10-01"),
        plain(f"{url}/titled", *story(2), feed_title=" From\nthe feed "),
        plain(f"{url}/future", *story(3), feed_published=soon),
        plain(f"{url}/old/2026/08/30/", *story(4), feed_published="Sun, 30 Aug 2026 10:00:00 GMT"),
        plain(f"{url}/german", *[GERMAN * 3] * 3),
        plain(f"{url}/wall", "We value your privacy.", "We and our partners use cookies and similar means. Accept all"),
        plain(f"{url}/stub", story(5)[0], "To continue reading, choose a plan."),
        plain(f"{url}/empty"),
        plain(f"{url}/missing", *story(6), status=404),
        plain(f"{url}/file", "x", headers=json.dumps({"content-type": "application/pdf"})),
        plain(f"{url}/redirected", *story(7), final_url=f"{url}/titled"),
        *(plain(f"{url}/same/{number}", *story(8)) for number in range(5)),
        *(plain(f"{url}/error/{n}", *story(11), head='<link rel="canonical" href="/">') for n in range(5)),
        *(plain(f"{url}/twice/{number}", *story(9)) for number in range(4)),
        *(
            plain(f"{url}/variants/{number}", *story(10), head='<link rel="canonical" href="/variants">')
            for number in range(6)
        ),
    ]
    kept, rejects = extract(rows)
    assert len(kept) + len(rejects) == len(rows)
    assert {row["stage"] for row in rejects} == {"extract_articles"} and {row["shard"] for row in rejects} == {"autumn"}
    reasons = {row["item"].removeprefix(f"{url}/"): row["reason"] for row in rejects}
    assert reasons == {
        "future": "future_date",
        "old/2026/08/30/": "outside_window",
        "german": "language",
        "wall": "consent_wall",
        "stub": "paywall",
        "empty": "no_text",
        "missing": "http_status",
        "file": "not_html",
        "titled": "duplicate_url",  # behind the redirect from an address that comes first in the table
        **{f"{place}/{number}": "boilerplate" for place in ("same", "error") for number in range(5)},
    }
    undated = {row["url"].removeprefix(f"{url}/"): row["undated"] for row in kept}
    assert undated.pop("disagree/2026-09-01") == "dates_disagree"
    assert set(undated.values()) == {"no_date"} and len(undated) == 12
    assert all(row["published_at"] is None and row["date_sources"] == [] for row in kept)


def test_more_pages_without_an_article_than_may_be_stop_the_stage(extract, tmp_path):
    def rows(broken):
        urls = [f"https://paper.example/2026/10/{number}" for number in range(22)]
        return [
            plain(url, *story(n % 12, f"It is {n}."), status=404 if n < broken else 200) for n, url in enumerate(urls)
        ]

    with pytest.raises(MostRejected, match=r"shard autumn: 12 of 22 pages rejected.* 12 as http_status, such as https"):
        extract(rows(12))
    assert not (tmp_path / "a-articles").exists() and not (tmp_path / "a-rejects").exists()
    assert [len(found) for found in extract(rows(11))] == [11, 11]


def test_pages_of_other_days_are_no_failures(extract):
    rows = [plain(f"https://paper.example/2020/01/01/{n}", *story(n), feed_published="2020-01-01") for n in range(12)]
    assert {row["reason"] for row in extract([*rows, demo(3)])[1]} == {"outside_window"}


def test_the_title_of_the_feed_serves_where_the_page_has_none(extract):
    [article], _ = extract([plain("https://paper.example/a", *story(0), feed_title=" From\nthe feed ")])
    assert article["title"] == "From the feed"


UTC = datetime.UTC
SEEN = datetime.datetime(2026, 9, 24, 12, tzinfo=UTC)
PLAIN = "https://a.example/story"


def at(*parts):
    return datetime.datetime(*parts, tzinfo=UTC)


def dated(feed=None, json_ld=(), meta=(), url=PLAIN):
    return date_of(feed, {"json_ld": list(json_ld), "meta": list(meta)}, url, SEEN)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-09-22T10:00:00Z", at(2026, 9, 22, 10)),
        ("2026-09-22T10:00:00.123456789+02:00", at(2026, 9, 22, 8)),
        ("2026-09-22 10:00 +0200", at(2026, 9, 22, 8)),
        ("2026-09-22T23:30:00-05:00", at(2026, 9, 23, 4, 30)),
        ("2026-09-22 10:00:00 UTC", at(2026, 9, 22, 10)),
        ("Tue, 22 Sep 2026 10:00:00 +0200", at(2026, 9, 22, 8)),
        ("Tue, 22 Sep 2026 10:00:00 GMT", at(2026, 9, 22, 10)),
        ("22 Sep 2026 10:00 EST", at(2026, 9, 22, 15)),
        (" Tue,  22 Sep\n2026 10:00:00 GMT ", at(2026, 9, 22, 10)),
    ],
)
def test_a_full_time_is_read_in_utc(text, expected):
    assert parsed(text) == (expected.date(), expected)


@pytest.mark.parametrize(
    "text",
    [
        "2026-09-22",
        "2026-09-22T10:00:00",
        "2026-09-22 10:00:00 CEST",
        "2026-09-22T10:00:00 PST",
        "Tue, 22 Sep 2026 10:00:00 CEST",
        "Tue, 22 Sep 2026 10:00:00 -0000",
        "22 Sep 2026 10:00:00",
    ],
)
def test_without_a_zone_that_is_known_only_the_day_is_read(text):
    assert parsed(text) == (datetime.date(2026, 9, 22), None)


@pytest.mark.parametrize(
    "text",
    "2025-13-01|2025-02-29|2026-09-31T10:00:00Z|2026-09-22T25:00:00Z|2026-09|2026|22/09/2026|09-22-26|20260922|now|"
    "Tue, 32 Sep 2026 10:00:00 GMT|Tue, 22 Foo 2026 10:00:00 GMT|22 Sep 26 10:00:00 GMT|Tue, 22 Sep 2026 99:00:00 GMT|"
    "1970-01-01T00:00:00Z|0001-01-01T00:00:00Z|9999-12-31T23:59:59-12:00|2026-W39-2|1790000000000|2026-09-22T10:00:00+99:99|"
    "２０２６-09-22|".split("|"),
)
def test_what_is_no_date_is_none(text):
    assert parsed(text) is None


@given(
    st.text() | st.from_regex(r"\A\d{1,4}-\d{1,2}-\d{1,2}[T ]?[\d:.+Z -]*\Z") | st.dates().map(lambda day: f"{day} 1")
)
def test_reading_a_date_never_raises(text):
    parsed(text)
    dated(text, [text], [text], f"https://a.example/{text}")


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("/2026/09/22/title", (2026, 9, 22)),
        ("/news/2026/9/2/", (2026, 9, 2)),
        ("/world/2026/sep/22/title", (2026, 9, 22)),
        ("/title-2026-09-22", (2026, 9, 22)),
        ("/2026-09-22/title?d=2020-01-01", (2026, 9, 22)),
        ("/2026/09/22/from-2026-09-22", (2026, 9, 22)),
        ("/2026/09/22/from-2001-09-11", None),
        ("/2026/13/01/title", None),
        ("/2026/09/title", None),
        ("/12026-09-22", None),
        ("/2026-09-223", None),
        ("/1789/07/14/title", None),
    ],
)
def test_the_day_in_an_address(path, day):
    found = in_path(f"https://a.example{path}")
    assert (found and found.day) == (datetime.date(*day) if day else None)


def test_two_sources_that_agree_give_the_exact_time_of_the_page_itself():
    feed, own = "Tue, 22 Sep 2026 10:30:00 GMT", "2026-09-22T12:00:00+02:00"
    assert dated(feed, [own]) == Dated(at(2026, 9, 22, 10), ("json_ld", "feed"), None, "time")
    assert dated(feed, meta=[own]).sources == ("meta", "feed")
    everything = dated(feed, [own], [own], f"{PLAIN}/2026/09/22/")
    assert everything.sources == ("json_ld", "meta", "feed", "url") and everything.published_at == at(2026, 9, 22, 10)


def test_days_alone_give_the_earliest_of_them():
    found = dated(meta=["2026-09-23 01:00"], url=f"{PLAIN}/2026/09/22/")
    assert found == Dated(at(2026, 9, 22), ("meta", "url"), None, "day")


@pytest.mark.parametrize(
    ("sources", "reason"),
    [
        ({}, "no_date"),
        ({"feed": ""}, "no_date"),
        ({"feed": "yesterday", "json_ld": ["2025-13-01"]}, "invalid_date"),
        ({"json_ld": ["2026-09-22T10:00:00Z"]}, "one_source"),
        ({"json_ld": ["2026-09-22T10:00:00Z"], "meta": ["2025-13-01"]}, "one_source"),
        ({"url": f"{PLAIN}/2026/09/22/"}, "one_source"),
        ({"json_ld": ["2026-09-22T10:00:00Z"], "feed": "Wed, 23 Sep 2026 10:00:00 GMT"}, "dates_disagree"),
        ({"json_ld": ["2026-09-22", "2026-09-20"], "feed": "2026-09-22"}, "dates_disagree"),
        ({"json_ld": ["2026-09-22"], "feed": "2026-09-22", "url": f"{PLAIN}/2025/09/22/"}, "dates_disagree"),
        ({"json_ld": ["2026-09-25T10:00:00Z"]}, "future_date"),
        ({"json_ld": ["2026-09-24T12:00:01Z"], "feed": "2026-09-24"}, "future_date"),
        ({"url": f"{PLAIN}/2026/10/01/"}, "future_date"),
    ],
)
def test_otherwise_there_is_none_and_a_reason(sources, reason):
    assert dated(**sources) == Dated(None, (), reason)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("2026-09-22T23:59:00Z", "2026-09-22T00:01:00Z", True),
        ("2026-09-22T23:59:00Z", "2026-09-23T00:01:00Z", False),
        ("2026-09-22T23:59:00-04:00", "2026-09-23T03:59:00Z", True),
        ("2026-09-22T23:59:00Z", "2026-09-23", True),
        ("2026-09-22T23:59:00 CEST", "2026-09-21T10:00:00Z", True),
        ("2026-09-22", "2026-09-24", False),
    ],
)
def test_a_day_of_slack_only_where_a_zone_is_missing(one, other, expected):
    assert agree(parsed(one), parsed(other)) is agree(parsed(other), parsed(one)) is expected


def test_today_is_not_the_future_in_any_zone():
    assert dated("2026-09-25", ["2026-09-25"]).precision == "day"  # where it is 14 hours later it has begun
    assert dated("2026-09-26", ["2026-09-26"]).reason == "future_date"


def test_the_first_meta_tag_counts_and_the_others_are_not_asked():
    assert dated("2026-09-22", meta=["2026-09-22", "2026-01-01"]).sources == ("meta", "feed")


def test_the_window_includes_both_days():
    for moment, inside in [((9, 1), True), ((9, 30, 23, 59), True), ((8, 31, 23, 59), False), ((10, 1), False)]:
        assert in_window(at(2026, *moment), "2026-09-01", "2026-09-30") is inside
    assert in_window(at(2020, 1, 1), None, "2026-09-30") and in_window(at(2030, 1, 1), "2026-09-01", "")
